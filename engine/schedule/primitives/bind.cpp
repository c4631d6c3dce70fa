#include "engine/ir/annotations.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/annotate.h"
#include "engine/schedule/legality/bound_loops.h"
#include "engine/schedule/legality/structure.h"

namespace tw::primitive_bind {
namespace {

Applied apply(StepRequest const& request) {
  ir::For const& loop = *request.loops[0].loop;
  Applied applied{request.program, {}, {}};
  applied.program.body = ir::replace_loop(
      request.program.body, loop.id,
      ir::make_from<ir::For>(ir::without_words(loop.origin), loop.id, loop.var, loop.extent,
                             ir::LoopKind::kBind, loop.body, request.word("axis")));
  return applied;
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  ir::LoopSite const& site = request.loops[0];
  if (auto extent = plain_loop(request.program, site, "bind"); !extent)
    return std::unexpected(extent.error());
  if (auto fit = kinds_nest(site, ir::LoopKind::kBind, "bind"); !fit)
    return std::unexpected(fit.error());
  if (request.budget == ProofBudget::kTrusted) return Proof();
  if (auto holds = bound_loops_hold(apply(request).program, request.target, "bind", request.budget);
      !holds)
    return std::unexpected(holds.error());
  return Proof{"concurrent iterations touch nothing that another one writes"};
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "bind",
      .key = "O",
      .title = "Bind a loop to blocks or threads",
      .doc =
          "Runs the iterations of a loop concurrently, each as one of the target's blocks or "
          "threads. Inside a loop bound to the same axis, the threads share the iterations among "
          "themselves, to fill a tensor that all of them use. Where the target shares sums, a loop "
          "of "
          "a sum may be bound to threads: each adds a part, and a few of them add the parts. The "
          "compiler inserts the barriers.",
      .rewrite = "for i in N: S(i)  -->  thread i of N runs S(i)",
      .refused = "cannot be bound",
      .marks = ir::LoopKind::kBind,
      .parameters = {{.name = "axis",
                      .doc = "an axis of the target's blocks or threads",
                      .low = 0,
                      .high = 0,
                      .axis = true}},
      .check = check,
      .apply = apply,
      .open_sizes = OpenSizes{},
      .refuses = {"axis_too_short", "bound_loops_do_not_nest", "dependence_carried",
                  "extent_unknown", "kinds_do_not_nest", "loop_annotated", "not_only_blocks",
                  "not_shared_work", "opaque_block", "order_carried", "reduction_carried",
                  "sum_over_blocks", "too_many_threads", "undecided"},
  };
  return primitive;
}

}  // namespace tw::primitive_bind
