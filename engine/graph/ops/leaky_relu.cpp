#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_leaky_relu {
namespace {

using namespace ops;

constexpr ParametricFunction kFunction{
    .parameters = {{{.name = "alpha", .standard = 0.01}}},
    .expression =
        [](ir::Expr x, double alpha, double) {
          return ir::select(x < immediate(0, x.type()), x * immediate(alpha, x.type()), x);
        },
    .number = [](double x, double alpha, double) { return x < 0 ? alpha * x : x; },
};

}  // namespace

Operator const& row() {
  static Operator const op = parametric_operator<kFunction>({
      .name = "leaky_relu",
      .doc = "The element where it is not negative, else alpha times the element.",
      .attributes = {{"alpha", "factor for negative elements"}},
  });
  return op;
}

}  // namespace tw::op_leaky_relu
