#include <fmt/format.h>

#include "engine/ir/intrinsic.h"
#include "engine/schedule/legality/intrinsic_match.h"
#include "engine/schedule/legality/structure.h"

namespace tw::primitive_tensorize {
namespace {

/// What is only started is done when somebody waits for it, which lowering sees to.
std::expected<void, Refusal> can_be_waited_for(StepRequest const& request,
                                               ir::IntrinsicNode const& node) {
  bool waits = request.target.commit && request.target.wait;
  if (node.completion != ir::Completion::kStarted || waits) return {};
  return refuse("cannot_wait",
                fmt::format("{} is asynchronous, but the target {} cannot wait for it", node.name,
                            request.target.name),
                "tensorize: asynchronous copies must be waited for", request.loops);
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  TensorIntrinsic const& intrinsic = *request.target.intrinsic(request.word("intrinsic"));
  if (auto waits = can_be_waited_for(request, *intrinsic.declaration); !waits)
    return std::unexpected(waits.error());
  auto nest = single_block_nest(request, "tensorize");
  if (!nest) return std::unexpected(nest.error());
  if (auto apart = instances_stay_apart(request, *nest, "tensorize"); !apart)
    return std::unexpected(apart.error());
  auto match = match_intrinsic(*nest, intrinsic, request.loops[0]);
  if (!match) return std::unexpected(match.error());
  return Proof{fmt::format("the nest computes what {} does", intrinsic.declaration->name)};
}

Applied apply(StepRequest const& request) {
  TensorIntrinsic const& intrinsic = *request.target.intrinsic(request.word("intrinsic"));
  SingleBlockNest nest = single_block_nest(request, "tensorize").value();
  IntrinsicMatch match = match_intrinsic(nest, intrinsic, request.loops[0]).value();
  return with_call(request, nest, intrinsic.declaration, std::move(match.operands));
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "tensorize",
      .key = "Z",
      .title = "Replace a nest by an instruction",
      .doc =
          "Replaces the loop, with everything inside it, by one call of an instruction of the "
          "target. The nest must match the declaration of the instruction.",
      .rewrite =
          "for i in 4: for j in 4: for k in 4: C[i, j] += A[i, k] * B[k, j]  -->  call mma(C, A, "
          "B)",
      .refused = "is not what the instruction does",
      .parameters = {{.name = "intrinsic",
                      .doc = "one of the target's instructions",
                      .low = 0,
                      .high = 0,
                      .intrinsic = true}},
      .check = check,
      .apply = apply,
      .looks_into_blocks = true,
      .open_sizes = OpenSizes{},
      .refuses = {"calls_would_meet", "cannot_wait", "extent_differs", "extent_unknown",
                  "guarded_nest", "loop_annotated", "nest_differs", "no_such_behaviour",
                  "not_in_rows", "not_one_block", "not_one_store", "not_only_blocks",
                  "opaque_block", "order_matters", "parts_do_not_separate", "reads_what_it_writes",
                  "starts_a_sum", "writes_elements_twice"},
  };
  return primitive;
}

}  // namespace tw::primitive_tensorize
