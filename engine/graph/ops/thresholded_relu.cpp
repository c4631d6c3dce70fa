#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_thresholded_relu {
namespace {

using namespace ops;

constexpr ParametricFunction kFunction{
    .parameters = {{{.name = "alpha", .standard = 1}}},
    .expression =
        [](ir::Expr x, double alpha, double) {
          // The threshold has more digits than narrow floats.
          DType wide = x.type() == DType::kF64 ? DType::kF64 : DType::kF32;
          return ir::select(immediate(alpha, wide) < ir::cast(wide, x), x, immediate(0, x.type()));
        },
    .number = [](double x, double alpha, double) { return x > alpha ? x : 0; },
};

}  // namespace

Operator const& row() {
  static Operator const op = parametric_operator<kFunction>({
      .name = "thresholded_relu",
      .doc = "The element where it is above alpha, else 0.",
      .attributes = {{"alpha", "the threshold"}},
  });
  return op;
}

}  // namespace tw::op_thresholded_relu
