#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_softsign {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression =
        [](ir::Expr x) { return x / (immediate(1, x.type()) + ir::unary(ir::UnaryOp::kAbs, x)); },
    .number = [](double x) { return x / (1 + std::abs(x)); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "softsign",
      .doc = "x / (1 + |x|).",
  });
  return op;
}

}  // namespace tw::op_softsign
