#include "engine/schedule/legality/sliding_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/region.h"
#include "engine/schedule/legality/sharing.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/legality/structure.h"

namespace tw {

using namespace ir;

namespace {

/// No two iterations of the loop meet in an element of the tensor.
bool meets_nowhere(LoopSite const& loop, BufferNode const& tensor, ProofBudget budget) {
  std::vector<BlockSite> blocks = blocks_under(loop);
  std::set<std::string> others;
  auto note = [&](Touched const& at) { others.insert(at.buffer->name); };
  for (BlockSite const& site : blocks) {
    walk_reads(*site.block, note);
    walk_writes(site.block->body, note);
  }
  others.erase(tensor.name);
  return find_carried(blocks, *loop.loop, others, budget).none();
}

/// Of two parts that move alike, in one dimension.
std::optional<Span> joined(Span const& a, Span const& b) {
  auto apart = as_int(arith::simplify(b.base - a.base));
  if (!apart) return std::nullopt;
  int64_t low = std::min<int64_t>(0, *apart);
  return Span{arith::simplify(a.base + low), std::max(a.extent, *apart + b.extent) - low};
}

/// What all blocks below the loop touch of a tensor in one iteration.
std::vector<std::optional<Span>> touched_box(Program const& program, Target const& target,
                                             LoopSite const& loop, BufferNode const& tensor) {
  std::vector<std::optional<Span>> box(tensor.shape.size());
  std::vector<For const*> place = place_loops(loop);
  auto sharing = loops_sharing(target, place, tensor);
  bool first = true;
  for (bool writes : {true, false}) {
    std::vector<BlockSite> sites =
        writes ? writers_of(program, tensor.name) : readers_of(program, tensor.name);
    std::erase_if(sites, [&](BlockSite const& s) { return !is_under(s, loop.loop->id); });
    if (sites.empty()) continue;
    std::vector<Span> part = box_of(sites, tensor, place.size(), writes, sharing);
    for (size_t d = 0; d < box.size(); ++d)
      box[d] = first ? part[d] : box[d] ? joined(*box[d], part[d]) : std::nullopt;
    first = false;
  }
  return box;
}

}  // namespace

SlidingWindow sliding_window_of(Program const& program, Target const& target, LoopSite const& loop,
                                BufferNode const& tensor) {
  SlidingWindow movement{std::nullopt, true};
  std::string const& counter = loop.loop->name();
  auto box = touched_box(program, target, loop, tensor);
  for (size_t d = 0; d < box.size(); ++d) {
    if (!box[d]) return {};
    if (!uses_variable(box[d]->base, counter)) continue;
    arith::Linear base = arith::to_linear(box[d]->base);
    int64_t step = base.factor_of(counter);
    Expr rest = arith::simplify(box[d]->base - loop.loop->var * step);
    if (step == 0 || uses_variable(rest, counter) || movement.part) return {};
    movement = {MovingPart{d, std::abs(step), box[d]->extent, step < 0}, false};
  }
  return movement;
}

std::expected<std::optional<FoldedDim>, Refusal> folded_dim_of(
    Program const& program, Target const& target, LoopSite const& loop, BufferNode const& tensor,
    int64_t instances, std::string const& verb, ProofBudget budget) {
  SlidingWindow movement = sliding_window_of(program, target, loop, tensor);
  std::string name = reference_of(program, loop.loop->id);
  std::string condition = verb +
                          ": iterations in flight at the same time must use different elements, "
                          "which advance by a constant stride";
  if (!movement.part) {
    if (instances == 1) return std::nullopt;
    if (!movement.stays && meets_nowhere(loop, tensor, budget)) return std::nullopt;
    if (movement.stays)
      return refuse("same_elements",
                    fmt::format("the elements of {} that an iteration of {} uses are the same in "
                                "all of them",
                                tensor.name, name),
                    condition, {loop});
    return refuse("uneven_elements",
                  fmt::format("the elements of {} that an iteration of {} uses do not advance by a "
                              "constant stride in one dimension",
                              tensor.name, name),
                  condition, {loop});
  }
  MovingPart const& part = *movement.part;
  if (instances > 1 && part.step < part.extent)
    return refuse("parts_overlap",
                  fmt::format("an iteration of {} uses {} elements of dimension {} of {}, and the "
                              "next one begins {} after it",
                              name, part.extent, part.dimension, tensor.name, part.step),
                  condition, {loop});
  int64_t modulus = part.step * (instances - 1) + part.extent;
  if (modulus >= as_int(tensor.shape[part.dimension]).value_or(0)) return std::nullopt;
  return FoldedDim{part.dimension, modulus};
}

}  // namespace tw
