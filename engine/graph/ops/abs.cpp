#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"
#include "engine/tensor/integers.h"

namespace tw::op_abs {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kAbs, x); },
    .number = [](double x) { return std::abs(x); },
    .whole = [](int64_t x, DType type) { return is_below(x, 0, type) ? wrapped_negative(x) : x; },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "abs",
      .doc = "The absolute value of the element.",
      .infer = infer_same,
  });
  return op;
}

}  // namespace tw::op_abs
