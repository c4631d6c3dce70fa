#include "engine/schedule/legality/thread_sums.h"

#include <algorithm>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/names.h"
#include "engine/target/axis_of.h"

namespace tw {
namespace {

using namespace ir;

/// The loop is one of threads, around which no other one has its axis.
bool is_of_threads(LoopSite const& loop, Target const& target) {
  ThreadAxis const* axis = axis_of(target, *loop.loop);
  return target.sums_over_threads && axis && axis->level == Level::kThread && !axis->interleaved &&
         std::ranges::none_of(loop.around, [&](For const* one) {
           return one->loop_kind == LoopKind::kBind && one->bind == loop.loop->bind;
         });
}

/// A recurrence's steps are in order, and its sums are parts of them.
bool has_steps(Block const& block) {
  return std::ranges::any_of(block.iters,
                             [](IterVar const& iter) { return iter.kind == IterKind::kOrdered; });
}

/// The first term of the loops is the first of the sum: a part that was cut off begins later.
bool begins_the_sum(BlockSite const& site) {
  Substitution zeros;
  for (For const* loop : site.loops)
    if (feeds(*site.block, *loop, true)) zeros[loop->name()] = int_imm(0);
  return std::ranges::all_of(site.block->iters, [&](IterVar const& iter) {
    return iter.kind != IterKind::kReduce ||
           is_int(arith::simplify(substitute(iter.binding, zeros)), 0);
  });
}

/// No loop and no condition is both of the sum and of its elements.
bool keeps_apart(BlockSite const& site) {
  for (For const* loop : site.loops)
    if (feeds(*site.block, *loop, true) && feeds(*site.block, *loop, false)) return false;
  return std::ranges::all_of(conjuncts(site.block->predicate), [&](Expr const& part) {
    bool reduce = false, other = false;
    for (For const* loop : site.loops)
      if (uses_variable(part, loop->name()))
        (feeds(*site.block, *loop, true) ? reduce : other) = true;
    return !reduce || !other;
  });
}

bool has_constant_extents(std::vector<For const*> const& loops) {
  return std::ranges::all_of(loops,
                             [](For const* loop) { return as_int(loop->extent).has_value(); });
}

}  // namespace

bool is_thread_sum(LoopSite const& loop, Target const& target, ProofBudget budget) {
  if (!is_of_threads(loop, target)) return false;
  std::vector<BlockSite> blocks = blocks_under(loop);
  if (blocks.size() != 1 || !blocks[0].block->init || !is_reduction(blocks[0])) return false;
  BlockSite const& site = blocks[0];
  if (has_steps(*site.block) || !feeds(*site.block, *loop.loop, true) || !keeps_apart(site) ||
      !begins_the_sum(site))
    return false;
  auto first = std::ranges::find_if(site.loops,
                                    [&](For const* one) { return feeds(*site.block, *one, true); });
  std::vector<For const*> inside(first, site.loops.end());
  Buffer const tensor = written_buffer(site);
  bool shared = !target.instance_per_iteration(*loop.loop, *tensor);
  // Nothing else is in the nest of the sum, so that the parts may be added behind it.
  bool alone = blocks_of((*first)->body).size() == 1;
  walk((*first)->body, [&](Stmt const& s) { return alone = alone && !s.as<Alloc>(), alone; });
  return shared && alone && constant_shape(*tensor) && has_constant_extents(inside) &&
         find_restarted(site, inside, budget).none();
}

}  // namespace tw
