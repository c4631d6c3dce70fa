#include "engine/schedule/legality/permutation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/compiled_expr.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/block_class.h"
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

/// Every run of the innermost moved loop's body has these tensors to itself.
bool writes_only(BlockSite const& site, std::set<std::string> const& tensors) {
  bool only = true;
  walk(site.block->body, [&](Stmt const& s) {
    if (auto const* store = s.as<Store>()) only = only && tensors.contains(store->buffer->name);
    return only;
  });
  return only;
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
    std::vector<BlockSite> const& blocks, std::set<std::string> const& own) {
  auto accesses = shared_accesses(blocks, own);
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
  std::set<std::string> own = private_tensors(before.back().loop->body);
  auto separated = separated_loops(blocks, moved, own);
  if (std::count(separated.begin(), separated.end(), false) <= 1)
    return Proof{"iterations that meet in an element differ in one loop only"};
  if (auto pair = sharing_blocks(blocks, own))
    return refuse("blocks_depend",
                  fmt::format("blocks {} and {} share a tensor that one of them writes",
                              pair->first, pair->second),
                  kCondition, before);
  for (BlockSite const& site : blocks) {
    if (is_complete(site) || writes_only(site, own)) continue;
    if (!is_reduction(site)) return refuse_block(site, before);
    if (!site.block->init || starts_first_in_any_order(site, before)) continue;
    if (auto ran = by_enumeration(site, before, after); !ran) return ran;
  }
  return Proof{"complete and reduction blocks, iterators made of the loops one to one"};
}

}  // namespace tw
