#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kCeil, x); },
    .number = [](double x) { return std::ceil(x); },
};

}  // namespace

Operator const& op_ceil() {
  static Operator const op = element_operator<kFunction>({
      .name = "ceil",
      .doc = "The element rounded up to an integer.",
  });
  return op;
}

}  // namespace tw
