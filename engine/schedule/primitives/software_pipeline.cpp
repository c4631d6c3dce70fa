#include "engine/schedule/legality/pipelining.h"

namespace tw::primitive_software_pipeline {
namespace {

Pipelining asked(StepRequest const& request) {
  return {request.loops[0], request.numbers("stages"),
          request.has("order") ? request.numbers("order") : std::vector<int64_t>()};
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  return can_pipeline(request, asked(request), "software_pipeline");
}

Applied apply(StepRequest const& request) { return pipelined(request, asked(request)); }

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "software_pipeline",
      .key = "Y",
      .title = "Overlap the iterations of a loop",
      .doc =
          "Assigns each statement of a loop to a stage: statements of a later stage process an "
          "earlier iteration, while the earlier stages prepare the next ones. A prologue and an "
          "epilogue fill and drain the pipeline; tensors that live across stages are "
          "multi-buffered, once for each iteration in flight.",
      .rewrite =
          "for k in N: A(k); B(k)  -- stages=\"0,1\" -->  A(0); for k in N-1: A(k+1); B(k); "
          "B(N-1)",
      .refused = "cannot be pipelined",
      .parameters = {{.name = "stages",
                      .doc = "a stage for each statement of the loop, from 0",
                      .low = 0,
                      .high = 0,
                      .list = true},
                     {.name = "order",
                      .doc = "the place of each statement in the new loop",
                      .low = 0,
                      .high = 0,
                      .optional = true,
                      .list = true}},
      .check = check,
      .apply = apply,
      .open_sizes = OpenSizes{},
      .refuses = {"dependence_carried", "extent_unknown", "instances_added", "instances_lost",
                  "loop_annotated", "not_finished", "not_only_blocks", "one_statement",
                  "opaque_block", "order_carried", "parts_overlap", "reduction_carried",
                  "same_elements", "stages_do_not_fit", "terms_twice", "undecided",
                  "uneven_elements", "writers_change_places"},
  };
  return primitive;
}

}  // namespace tw::primitive_software_pipeline
