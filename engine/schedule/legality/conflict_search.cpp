#include "engine/schedule/legality/conflict_search.h"

#include <algorithm>
#include <map>

#include "engine/ir/expr_evaluator.h"
#include "engine/schedule/legality/accesses.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kMostPoints = 8192;

/// The values tried for one loop: all, or the first and the last ones, where guards and digits
/// turn.
std::vector<int64_t> samples(int64_t extent, size_t most) {
  std::vector<int64_t> values;
  for (int64_t v = 0; v < extent && values.size() < most; ++v) values.push_back(v);
  for (int64_t v = std::max<int64_t>(extent - 2, int64_t(values.size())); v < extent; ++v)
    values.push_back(v);
  return values;
}

struct Touch {
  size_t block;
  std::vector<int64_t> point;
  bool writes, update;
};

class Search {
public:
  Search(std::vector<BlockSite> const& blocks, For const& loop, std::set<std::string> const& own)
      : blocks_(blocks), loop_(loop) {
    for (Access& access : shared_accesses(blocks, own))
      accesses_.push_back({std::move(access), {}, {}});
  }

  SearchResult run() {
    SearchResult result{std::nullopt, true};
    for (size_t b = 0; b < blocks_.size() && !result.conflict; ++b) {
      complete_ = true;
      result.conflict = run_block(b);
      result.complete = result.complete && complete_;
    }
    return result;
  }

private:
  struct Reached {
    Access access;
    std::vector<Compiled> indices, conditions;
  };

  std::vector<std::vector<int64_t>> values_of(size_t b) {
    std::vector<std::vector<int64_t>> values;
    int64_t total = 1;
    for (For const* loop : blocks_[b].loops) {
      int64_t extent = as_int(loop->extent).value_or(kMostPoints + 1);
      total = std::min(total, kMostPoints + 1) * std::min(extent, kMostPoints + 1);
    }
    complete_ = total <= kMostPoints;
    bool outer = true;
    for (For const* loop : blocks_[b].loops) {
      auto extent = as_int(loop->extent);
      bool asked = loop->id == loop_.id;
      outer = outer && !asked;
      size_t most = complete_ ? size_t(kMostPoints) : asked ? 64 : outer ? 1 : 3;
      values.push_back(extent ? samples(*extent, most) : std::vector<int64_t>{0});
      if (outer && !complete_) values.back().resize(1);
    }
    return values;
  }

  std::optional<Conflict> run_block(size_t b) {
    BlockSite const& block = blocks_[b];
    ExprEvaluator evaluator;
    std::vector<int> slots;
    position_ = 0;
    for (size_t i = 0; i < block.loops.size(); ++i) {
      slots.push_back(evaluator.slot(block.loops[i]->name()));
      if (block.loops[i]->id == loop_.id) position_ = i;
    }
    for (Reached& access : accesses_) {
      access.indices.clear();
      access.conditions.clear();
      if (access.access.block != b) continue;
      for (Expr const& condition : access.access.conditions)
        access.conditions.push_back(evaluator.compile(condition));
      for (Expr const& index : access.access.indices)
        access.indices.push_back(evaluator.compile(index));
    }
    Compiled guard;
    if (block.block->predicate) guard = evaluator.compile(block.block->predicate);
    auto values = values_of(b);
    std::vector<size_t> at(values.size(), 0);
    for (int64_t visited = 0; visited < kMostPoints; ++visited) {
      std::vector<int64_t> point(at.size());
      for (size_t i = 0; i < at.size(); ++i) evaluator.set(slots[i], point[i] = values[i][at[i]]);
      if (!guard.valid() || evaluator.integer(guard, 0))
        if (auto conflict = visit(b, evaluator, point)) return conflict;
      complete_ = complete_ && !evaluator.failed();  // an index that depends on data
      if (evaluator.failed() || !advance(at, values)) return std::nullopt;
    }
    return std::nullopt;
  }

  /// The asked loop changes fastest, so that two of its iterations meet early.
  bool advance(std::vector<size_t>& at, std::vector<std::vector<int64_t>> const& values) const {
    auto step = [&](size_t i) { return ++at[i] < values[i].size() || (at[i] = 0, false); };
    if (step(position_)) return true;
    for (size_t i = at.size(); i-- > 0;)
      if (i != position_ && step(i)) return true;
    return false;
  }

  std::optional<Conflict> visit(size_t b, ExprEvaluator& evaluator,
                                std::vector<int64_t> const& point) {
    for (Reached const& access : accesses_) {
      if (access.access.block != b) continue;
      if (!std::ranges::all_of(access.conditions,
                               [&](Compiled c) { return evaluator.integer(c, 0) != 0; }))
        continue;
      std::vector<int64_t> index;
      for (Compiled c : access.indices) index.push_back(evaluator.integer(c, 0));
      auto& touches = touched_[{access.access.buffer, index}];
      Touch now{b, point, access.access.writes, access.access.update};
      bool known = false;
      for (Touch const& before : touches) {
        if (auto conflict = clash(before, now, access.access.buffer, index)) return conflict;
        known = known || (before.writes == now.writes && same_iteration(before, now));
      }
      if (!known) touches.push_back(std::move(now));
    }
    return std::nullopt;
  }

  /// Loops around the asked one equal; the asked one too.
  bool same_iteration(Touch const& a, Touch const& b) const {
    return same_outside(a, b) && a.point[depth()] == b.point[depth()];
  }
  bool same_outside(Touch const& a, Touch const& b) const {
    return std::equal(a.point.begin(), a.point.begin() + int64_t(depth()), b.point.begin());
  }
  size_t depth() const { return position_; }

  std::optional<Conflict> clash(Touch const& a, Touch const& b, std::string const& buffer,
                                std::vector<int64_t> const& index) const {
    if (!(a.writes || b.writes) || !same_outside(a, b)) return std::nullopt;
    if (a.point[depth()] == b.point[depth()]) return std::nullopt;
    Conflict found;
    auto name = [&](Touch const& t, Iteration& into) {
      for (size_t i = 0; i < t.point.size(); ++i)
        into.loops.push_back({blocks_[t.block].loops[i]->name(), t.point[i]});
    };
    name(a, found.first);
    name(b, found.second);
    found.block = blocks_[b.block].block->name;
    found.buffer = buffer;
    found.index = index;
    found.differs = loop_.name();
    found.first_writes = a.writes;
    found.second_writes = b.writes;
    found.is_update = a.update || b.update;
    return found;
  }

  std::vector<BlockSite> const& blocks_;
  For const& loop_;
  std::vector<Reached> accesses_;
  std::map<std::pair<std::string, std::vector<int64_t>>, std::vector<Touch>> touched_;
  size_t position_ = 0;
  bool complete_ = true;
};

}  // namespace

SearchResult find_conflict(std::vector<BlockSite> const& blocks, For const& loop,
                           std::set<std::string> const& own) {
  return Search(blocks, loop, own).run();
}

}  // namespace tw
