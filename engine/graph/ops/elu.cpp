#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_elu {
namespace {

using namespace ops;

constexpr ParametricFunction kFunction{
    .parameters = {{{.name = "alpha", .standard = 1}}},
    .expression =
        [](ir::Expr x, double alpha, double) {
          return ir::select(x < immediate(0, x.type()),
                            (ir::unary(ir::UnaryOp::kExp, x) - immediate(1, x.type())) *
                                immediate(alpha, x.type()),
                            x);
        },
    .number = [](double x, double alpha, double) { return x < 0 ? alpha * (std::exp(x) - 1) : x; },
};

}  // namespace

Operator const& row() {
  static Operator const op = parametric_operator<kFunction>({
      .name = "elu",
      .doc = "The element where it is not negative, else alpha * (e^x - 1).",
      .attributes = {{"alpha", "factor for negative elements"}},
  });
  return op;
}

}  // namespace tw::op_elu
