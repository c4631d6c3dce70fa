#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_celu {
namespace {

using namespace ops;

constexpr ParametricFunction kFunction{
    .parameters = {{{.name = "alpha", .standard = 1, .random_from = 0.5}}},
    .expression =
        [](ir::Expr x, double alpha, double) {
          ir::Expr power = ir::unary(ir::UnaryOp::kExp, x / immediate(alpha, x.type()));
          return ir::select(x < immediate(0, x.type()),
                            (power - immediate(1, x.type())) * immediate(alpha, x.type()), x);
        },
    .number = [](double x, double alpha,
                 double) { return x < 0 ? alpha * (std::exp(x / alpha) - 1) : x; },
};

}  // namespace

Operator const& row() {
  static Operator const op = parametric_operator<kFunction>({
      .name = "celu",
      .doc = "The element where it is not negative, else alpha * (e^(x/alpha) - 1).",
      .attributes = {{"alpha", "scale for negative elements"}},
  });
  return op;
}

}  // namespace tw::op_celu
