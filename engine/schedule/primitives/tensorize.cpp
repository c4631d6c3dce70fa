#include <fmt/format.h>

#include "engine/schedule/legality/intrinsic_match.h"

namespace tw {
namespace {

std::expected<Proof, Refusal> check(Move const& move) {
  TensorIntrinsic const& intrinsic = *move.target.intrinsic(move.word("intrinsic"));
  auto nest = lone_nest(move, "tensorize");
  if (!nest) return std::unexpected(nest.error());
  auto match = match_intrinsic(*nest, intrinsic, move.loops[0]);
  if (!match) return std::unexpected(match.error());
  return Proof{fmt::format("the nest is what {} does", intrinsic.declaration->name)};
}

Applied apply(Move const& move) {
  TensorIntrinsic const& intrinsic = *move.target.intrinsic(move.word("intrinsic"));
  LoneNest nest = lone_nest(move, "tensorize").value();
  IntrinsicMatch match = match_intrinsic(nest, intrinsic, move.loops[0]).value();
  return with_call(move, nest, intrinsic.declaration, std::move(match.operands));
}

}  // namespace

Primitive const& primitive_tensorize() {
  static Primitive const primitive{
      .name = "tensorize",
      .key = "Z",
      .title = "Use an instruction for a nest",
      .doc =
          "Replaces the loop, with everything inside it, by one call of an instruction of the "
          "target. The nest must compute what the instruction's declaration says.",
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
  };
  return primitive;
}

}  // namespace tw
