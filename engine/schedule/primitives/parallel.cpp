#include "engine/schedule/legality/annotate.h"
#include "engine/schedule/legality/independence.h"
#include "engine/schedule/legality/structure.h"

namespace tw::primitive_parallel {
namespace {

std::expected<Proof, Refusal> check(StepRequest const& request) {
  ir::LoopSite const& site = request.loops[0];
  if (auto extent = plain_loop(request.program, site, "parallel"); !extent)
    return std::unexpected(extent.error());
  if (auto fit = kinds_nest(site, ir::LoopKind::kParallel, "parallel"); !fit)
    return std::unexpected(fit.error());
  return independent_iterations(request.program, request.target, site, "parallel", request.budget);
}

Applied apply(StepRequest const& request) { return with_kind(request, ir::LoopKind::kParallel); }

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "parallel",
      .key = "P",
      .title = "Run a loop in parallel",
      .doc = "Distributes the iterations of a loop over the threads of the device.",
      .rewrite = "for i in N: S(i)  -->  threads run S(0), ..., S(N-1), each once, in any order",
      .refused = "cannot run in parallel",
      .marks = ir::LoopKind::kParallel,
      .at_hand = true,
      .check = check,
      .apply = apply,
      .open_sizes = OpenSizes{apply},
      .refuses = {"dependence_carried", "extent_unknown", "kinds_do_not_nest", "loop_annotated",
                  "not_only_blocks", "opaque_block", "order_carried", "reduction_carried",
                  "undecided"},
  };
  return primitive;
}

}  // namespace tw::primitive_parallel
