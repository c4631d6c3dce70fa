#include "engine/ir/stmt.h"
#include "engine/schedule/parameters.h"
#include "engine/schedule/rewriting/macro.h"

namespace tw::primitive_pack {
namespace {

/// A copy of the tensor for the block, in another layout.
std::vector<Step> steps_of(StepRequest const& request) {
  return {{"cache_read",
           {request.blocks[0].block->name},
           {{"tensor", request.word("tensor")}, {"layout", request.word("layout")}},
           {}}};
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  auto done = run_steps(request, steps_of(request));
  if (!done) return std::unexpected(done.error());
  return Proof{"the copy holds the same values, and every element has one place"};
}

Applied apply(StepRequest const& request) { return *run_steps(request, steps_of(request)); }

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "pack",
      .key = "Q",
      .title = "Pack what a block reads",
      .doc =
          "Copies a tensor in another layout before a block reads it: cache_read with a layout. If "
          "the block's innermost axis is the innermost block of the layout, its vectors are "
          "contiguous.",
      .rewrite =
          "C[i, j] = f(B[k, j])  -- layout=BA16b -->  B_cache[j // 16, k, j % 16] = B[k, j]; C[i, "
          "j] = f(B_cache[j // 16, k, j % 16])",
      .parameters = {copied_tensor_parameter(),
                     {.name = "layout",
                      .doc = "the order of the copy, as for transform_layout",
                      .low = 0,
                      .high = 0,
                      .word = true}},
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .refuses = {"bad_layout", "dependence_carried", "extent_unknown", "input_out_of_scope",
                  "not_finished", "not_one_tensor", "not_only_blocks", "not_read_there",
                  "opaque_block", "order_carried", "place_is_vector", "reduction_carried",
                  "undecided", "written_beside"},
  };
  return primitive;
}

}  // namespace tw::primitive_pack
