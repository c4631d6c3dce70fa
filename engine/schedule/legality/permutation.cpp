#include "engine/schedule/legality/permutation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/sharing.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw {
namespace {

using namespace ir;

constexpr char kCondition[] =
    "reorder: iterations that access the same element keep their order, except for the terms of a "
    "sum";

/// Every run of the innermost moved loop's body has these tensors to itself.
bool writes_only(BlockSite const& site, std::set<std::string> const& tensors) {
  bool only = true;
  walk_writes(site.block->body,
              [&](Touched const& at) { only = only && tensors.contains(at.buffer->name); });
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

std::string iteration_text(Iteration const& iteration) {
  std::string text;
  for (auto const& [name, value] : iteration.loops)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

/// No block below shares with another one a tensor which one of them writes.
bool shares_nothing(std::vector<BlockSite> const& blocks, std::set<std::string> const& own) {
  auto accesses = shared_accesses(blocks, own);
  for (Access const& a : accesses)
    for (Access const& b : accesses)
      if (a.block < b.block && a.buffer == b.buffer && (a.writes || b.writes)) return false;
  return true;
}

/// Blocks whose instances may run in any order, seen one by one.
bool any_order(std::vector<BlockSite> const& blocks, std::vector<LoopSite> const& moved,
               std::set<std::string> const& own) {
  return shares_nothing(blocks, own) && std::ranges::all_of(blocks, [&](BlockSite const& site) {
           if (is_complete(site) || writes_only(site, own)) return true;
           return is_reduction(site) &&
                  (!site.block->init || starts_first_in_any_order(site, moved));
         });
}

/// The loops of the conflict in the order that was asked for.
Iteration in_new_order(Iteration iteration, std::vector<LoopSite> const& before,
                       std::vector<LoopSite> const& after) {
  std::map<std::string, int64_t> values(iteration.loops.begin(), iteration.loops.end());
  size_t next = 0;
  for (auto& [name, value] : iteration.loops) {
    bool moves = std::ranges::any_of(
        before, [&, &n = name](LoopSite const& site) { return site.loop->name() == n; });
    if (!moves) continue;
    name = after[next++].loop->name();
    value = values.at(name);
  }
  return iteration;
}

std::unexpected<Refusal> refuse_pair(PairAnswer const& pairs, std::vector<LoopSite> const& before,
                                     std::vector<LoopSite> const& after) {
  Conflict conflict = *pairs.conflict;
  // First the one that would run first.
  std::swap(conflict.first, conflict.second);
  std::swap(conflict.first_writes, conflict.second_writes);
  conflict.first = in_new_order(std::move(conflict.first), before, after);
  conflict.second = in_new_order(std::move(conflict.second), before, after);
  std::string element = fmt::format("{}[{}]", conflict.buffer, fmt::join(conflict.index, ","));
  std::string first = iteration_text(conflict.first), second = iteration_text(conflict.second);
  auto does = [](bool writes) { return writes ? "writes" : "reads"; };
  std::string message =
      pairs.start_overtaken
          ? fmt::format("iteration {} would update {} before iteration {} initializes it", first,
                        element, second)
          : fmt::format("iteration {} {} {}, and would come before iteration {}, which {} it",
                        first, does(conflict.first_writes), element, second,
                        does(conflict.second_writes));
  auto refusal = refuse(pairs.start_overtaken ? "start_not_first" : "order_carried",
                        std::move(message), kCondition, before);
  refusal.error().conflict = std::move(conflict);
  return refusal;
}

std::expected<Proof, Refusal> by_pairs(PairAnswer const& pairs, std::vector<LoopSite> const& before,
                                       std::vector<LoopSite> const& after) {
  if (pairs.none()) return Proof{pairs.proof()};
  if (pairs.conflict) return refuse_pair(pairs, before, after);
  auto refusal = refuse("undecided",
                        "it could not be proved that iterations which access the same element keep "
                        "their order, although no counterexample was found: " +
                            pairs.unknown,
                        kCondition, before);
  refusal.error().undecided = true;
  return refusal;
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

std::expected<Proof, Refusal> permutable(Target const& target,
                                         std::vector<LoopSite> const& all_before,
                                         std::vector<LoopSite> const& all_after,
                                         ProofBudget budget) {
  if (budget == ProofBudget::kTrusted) return Proof{};
  std::vector<LoopSite> before = all_before, after = all_after;
  trim(before, after);
  if (before.empty()) return Proof{"the order does not change"};
  std::vector<BlockSite> blocks = blocks_under(before.front());
  std::vector<For const*> moved, old_order, new_order;
  for (LoopSite const& site : before) {
    old_order.push_back(site.loop);
    if (!is_int(site.loop->extent, 1)) moved.push_back(site.loop);
  }
  for (LoopSite const& site : after) new_order.push_back(site.loop);
  std::set<std::string> own = tensors_of_iteration(target, before), agree;
  auto separated = separated_loops(blocks, moved, own);
  if (std::count(separated.begin(), separated.end(), false) <= 1)
    return Proof{"iterations that access the same element differ in one loop only"};
  if (any_order(blocks, before, own))
    return Proof{
        "the blocks are complete or reductions, and their iterators map one-to-one to the loops"};
  for (size_t i = 0; i < moved.size(); ++i)
    if (separated[i]) agree.insert(moved[i]->name());
  return by_pairs(find_overtaken(blocks, old_order, new_order, agree, own, budget), before, after);
}

}  // namespace tw
