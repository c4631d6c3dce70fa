#include "engine/graph/shared/pointwise_operators.h"
#include "engine/tensor/integers.h"

namespace tw::op_neg {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kNeg, x); },
    .number = [](double x) { return -x; },
    .whole = [](int64_t x, DType) { return wrapped_negative(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "neg",
      .doc = "The element negated.",
      .infer = infer_same,
  });
  return op;
}

}  // namespace tw::op_neg
