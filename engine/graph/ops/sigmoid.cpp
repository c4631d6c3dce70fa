#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_sigmoid {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression =
        [](ir::Expr x) {
          return immediate(1, x.type()) /
                 (immediate(1, x.type()) +
                  ir::unary(ir::UnaryOp::kExp, ir::unary(ir::UnaryOp::kNeg, x)));
        },
    .number = [](double x) { return 1 / (1 + std::exp(-x)); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "sigmoid",
      .doc = "1 / (1 + e^-x).",
  });
  return op;
}

}  // namespace tw::op_sigmoid
