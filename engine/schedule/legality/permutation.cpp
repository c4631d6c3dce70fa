#include "engine/schedule/legality/permutation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/compiled_expr.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/conflict_search.h"
#include "engine/schedule/legality/digits.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kMostPoints = 8192;
constexpr char kCondition[] =
    "reorder: iterations that meet in an element keep their order, except for the terms of a sum";

/// The body speaks of its iterators only, so that equal iterators mean an equal computation.
bool uses_iterators_only(BlockSite const& site) {
  std::set<std::string> loops;
  for (For const* loop : site.loops) loops.insert(loop->name());
  bool only = true;
  auto look = [&](Expr const& e) {
    if (auto const* v = e.as<Variable>()) only = only && !loops.contains(v->name);
    return only;
  };
  walk_exprs(site.block->body, look);
  if (site.block->init) walk_exprs(site.block->init, look);
  return only;
}

/// "complete block": no ordered iterator, reads nothing that it writes; running one of its
/// instances twice or at another time gives the same.
bool is_complete(BlockSite const& site) {
  std::set<std::string> written;
  walk(site.block->body, [&](Stmt const& s) {
    if (auto const* store = s.as<Store>()) written.insert(store->buffer->name);
    return true;
  });
  bool complete = !site.block->init;
  walk_exprs(site.block->body, [&](Expr const& e) {
    if (auto const* read = e.as<Load>())
      complete = complete && !written.contains(read->buffer->name);
    return complete;
  });
  // Two instances may share an element only if they compute the same value.
  auto const* store = site.block->body.as<Store>();
  if (!complete || !store) return false;
  for (IterVar const& iter : site.block->iters) {
    bool indexes = std::any_of(store->indices.begin(), store->indices.end(), [&](Expr const& e) {
      auto const* v = e.as<Variable>();
      return v && v->name == iter.name();
    });
    if (iter.kind != IterKind::kSpatial || (!indexes && !is_int(iter.extent, 1))) return false;
  }
  return uses_iterators_only(site);
}

/// The init sets what the body updates, or there is none: another block sets it before.
bool starts_own_element(Block const& block, Store const& update) {
  if (!block.init) return true;
  auto const* init = block.init.as<Store>();
  if (!init || init->buffer->name != update.buffer->name) return false;
  for (size_t i = 0; i < init->indices.size(); ++i)
    if (!equal(init->indices[i], update.indices[i])) return false;
  return true;
}

/// "reduction block": an associative update of an element that only spatial iterators choose.
bool is_reduction(BlockSite const& site) {
  auto info = reduction_of(*site.block);
  if (!info || !uses_iterators_only(site) || !starts_own_element(*site.block, *info->store))
    return false;
  for (IterVar const& iter : site.block->iters) {
    if (iter.kind == IterKind::kOrdered || iter.kind == IterKind::kOpaque) return false;
    bool chooses = std::any_of(info->store->indices.begin(), info->store->indices.end(),
                               [&](Expr const& e) { return uses_variable(e, iter.name()); });
    if (iter.kind == IterKind::kReduce && chooses) return false;
  }
  // Each spatial iterator is an index of its own, so that no two of its values share an element.
  for (IterVar const& iter : site.block->iters) {
    bool alone =
        std::any_of(info->store->indices.begin(), info->store->indices.end(), [&](Expr const& e) {
          auto const* v = e.as<Variable>();
          return v && v->name == iter.name();
        });
    if (iter.kind == IterKind::kSpatial && !alone && !is_int(iter.extent, 1)) return false;
  }
  return true;
}

/// The iterators are mixed-radix numbers that use up the loops: then the iteration that starts a
/// sum is the least one in each loop, and comes first in every order.
bool starts_first_in_any_order(BlockSite const& site, std::vector<LoopSite> const& moved) {
  arith::Ranges ranges = ranges_of(site.loops);
  std::vector<Digit> digits;
  for (IterVar const& iter : site.block->iters) {
    auto form = radix_form(iter.binding, ranges);
    if (!form || (iter.kind == IterKind::kReduce && form->constant != 0)) return false;
    digits.insert(digits.end(), form->digits.begin(), form->digits.end());
  }
  return std::all_of(moved.begin(), moved.end(), [&](LoopSite const& loop) {
    return tiles(digits, loop.loop->name(), as_int(loop.loop->extent).value_or(0));
  });
}

/// Runs one reduction block in the new order and looks whether every element is set to its start
/// before it is updated.
class StartCheck {
public:
  StartCheck(BlockSite const& site, std::vector<For const*> order)
      : site_(site), order_(std::move(order)) {
    for (For const* loop : order_) slots_.push_back(frame_.slot(loop->name()));
    for (IterVar const& iter : site.block->iters)
      iters_.push_back({frame_.compile(iter.binding), iter.kind == IterKind::kReduce});
    if (site.block->predicate) guard_ = frame_.compile(site.block->predicate);
  }

  /// No answer when there are too many points.
  std::optional<bool> run(Conflict& conflict) {
    auto points = all_points(order_, kMostPoints);
    if (!points) return std::nullopt;
    for (auto const& point : *points) {
      for (size_t i = 0; i < point.size(); ++i) frame_.set(slots_[i], point[i]);
      if (guard_.valid() && !frame_.integer(guard_, 0)) continue;
      if (!visit(point, conflict)) return false;
    }
    return true;
  }

private:
  bool visit(std::vector<int64_t> const& point, Conflict& conflict) {
    std::vector<int64_t> element;
    bool starts = true;
    for (auto const& [binding, reduces] : iters_) {
      int64_t value = frame_.integer(binding, 0);
      if (reduces)
        starts = starts && value == 0;
      else
        element.push_back(value);
    }
    auto [first, added] = first_.emplace(element, point);
    if (!starts || added) return true;
    conflict.block = site_.block->name;
    conflict.buffer = site_.block->body.as<Store>()->buffer->name;
    conflict.index = element;
    conflict.is_update = true;
    for (size_t i = 0; i < point.size(); ++i) {
      conflict.first.loops.push_back({order_[i]->name(), first->second[i]});
      conflict.second.loops.push_back({order_[i]->name(), point[i]});
    }
    return false;
  }

  BlockSite const& site_;
  std::vector<For const*> order_;
  Frame frame_;
  std::vector<int> slots_;
  std::vector<std::pair<Compiled, bool>> iters_;
  Compiled guard_;
  std::map<std::vector<int64_t>, std::vector<int64_t>> first_;
};

std::string iteration_text(Iteration const& iteration) {
  std::string text;
  for (auto const& [name, value] : iteration.loops)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

std::expected<Proof, Refusal> by_enumeration(BlockSite const& site,
                                             std::vector<LoopSite> const& before,
                                             std::vector<LoopSite> const& after) {
  std::vector<For const*> order = site.loops;
  auto first = std::find(order.begin(), order.end(), before.front().loop);
  for (size_t i = 0; i < after.size(); ++i) *(first + int64_t(i)) = after[i].loop;
  Conflict conflict;
  auto good = StartCheck(site, order).run(conflict);
  if (!good) {
    auto refusal =
        refuse("undecided",
               fmt::format("it is not proved that the sum of block {} still starts with its "
                           "first term in this order",
                           site.block->name),
               kCondition, before);
    refusal.error().undecided = true;
    return refusal;
  }
  if (*good) return Proof{"the new order was run through: every sum starts with its first term"};
  auto refusal = refuse(
      "start_not_first",
      fmt::format("iteration {} would update {}[{}] before iteration {} sets it to its start",
                  iteration_text(conflict.first), conflict.buffer, fmt::join(conflict.index, ","),
                  iteration_text(conflict.second)),
      kCondition, before);
  refusal.error().conflict = std::move(conflict);
  return refusal;
}

/// Blocks below that share a tensor which one of them writes.
std::optional<std::pair<std::string, std::string>> sharing_blocks(
    std::vector<BlockSite> const& blocks) {
  auto accesses = shared_accesses(blocks);
  for (Access const& a : accesses)
    for (Access const& b : accesses)
      if (a.block < b.block && a.buffer == b.buffer && (a.writes || b.writes))
        return std::pair{blocks[a.block].block->name, blocks[b.block].block->name};
  return std::nullopt;
}

std::unexpected<Refusal> refuse_block(BlockSite const& site, std::vector<LoopSite> const& moved) {
  bool ordered = std::any_of(site.block->iters.begin(), site.block->iters.end(),
                             [](IterVar const& iter) { return iter.kind == IterKind::kOrdered; });
  if (ordered)
    return refuse("order_carried",
                  fmt::format("block {} computes in order: later iterations read what earlier ones "
                              "wrote",
                              site.block->name),
                  kCondition, moved);
  return refuse(
      "not_a_simple_block",
      fmt::format("block {} is neither complete nor a reduction, so its order cannot be changed",
                  site.block->name),
      kCondition, moved);
}

/// Drops the loops at both ends that stay where they are.
void trim(std::vector<LoopSite>& before, std::vector<LoopSite>& after) {
  auto fixed = [](LoopSite const& a, LoopSite const& b) { return a.loop->id == b.loop->id; };
  while (!before.empty() && fixed(before.front(), after.front())) {
    before.erase(before.begin());
    after.erase(after.begin());
  }
  while (!before.empty() && fixed(before.back(), after.back())) {
    before.pop_back();
    after.pop_back();
  }
}

}  // namespace

std::expected<Proof, Refusal> permutable(std::vector<LoopSite> const& all_before,
                                         std::vector<LoopSite> const& all_after) {
  std::vector<LoopSite> before = all_before, after = all_after;
  trim(before, after);
  if (before.empty()) return Proof{"the order does not change"};
  std::vector<BlockSite> blocks = blocks_under(before.front());
  std::vector<For const*> moved;
  for (LoopSite const& site : before)
    if (!is_int(site.loop->extent, 1)) moved.push_back(site.loop);
  auto separated = separated_loops(blocks, moved);
  if (std::count(separated.begin(), separated.end(), false) <= 1)
    return Proof{"iterations that meet in an element differ in one loop only"};
  if (auto pair = sharing_blocks(blocks))
    return refuse("blocks_depend",
                  fmt::format("blocks {} and {} share a tensor that one of them writes",
                              pair->first, pair->second),
                  kCondition, before);
  for (BlockSite const& site : blocks) {
    if (is_complete(site)) continue;
    if (!is_reduction(site)) return refuse_block(site, before);
    if (!site.block->init || starts_first_in_any_order(site, before)) continue;
    if (auto ran = by_enumeration(site, before, after); !ran) return ran;
  }
  return Proof{"complete and reduction blocks, iterators made of the loops one to one"};
}

}  // namespace tw
