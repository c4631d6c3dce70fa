#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_selu {
namespace {

using namespace ops;

constexpr ParametricFunction kFunction{
    .parameters = {{{.name = "alpha", .standard = 1.67326319217681884765625},
                    {.name = "gamma", .standard = 1.05070102214813232421875, .random_from = 0.5}}},
    .expression =
        [](ir::Expr x, double alpha, double gamma) {
          ir::Expr below = (ir::unary(ir::UnaryOp::kExp, x) - immediate(1, x.type())) *
                           immediate(alpha * gamma, x.type());
          return ir::select(x < immediate(0, x.type()), below, x * immediate(gamma, x.type()));
        },
    .number = [](double x, double alpha,
                 double gamma) { return gamma * (x < 0 ? alpha * (std::exp(x) - 1) : x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = parametric_operator<kFunction>({
      .name = "selu",
      .doc = "gamma * x where x is not negative, else gamma * alpha * (e^x - 1).",
      .attributes = {{"alpha", "factor for negative elements"},
                     {"gamma", "factor of the whole expression"}},
  });
  return op;
}

}  // namespace tw::op_selu
