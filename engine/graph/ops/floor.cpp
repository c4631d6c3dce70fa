#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_floor {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kFloor, x); },
    .number = [](double x) { return std::floor(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "floor",
      .doc = "The element rounded down to an integer.",
  });
  return op;
}

}  // namespace tw::op_floor
