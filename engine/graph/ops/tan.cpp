#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression =
        [](ir::Expr x) {
          return ir::unary(ir::UnaryOp::kSin, x) / ir::unary(ir::UnaryOp::kCos, x);
        },
    .number = [](double x) { return std::tan(x); },
};

}  // namespace

Operator const& op_tan() {
  static Operator const op = element_operator<kFunction>({
      .name = "tan",
      .doc = "Tangent of the element.",
  });
  return op;
}

}  // namespace tw
