#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

constexpr JoinFunction kFunction{
    .expression = [](ir::Expr a, ir::Expr b) { return a - b; },
    .number = [](double a, double b) { return a - b; },
};

}  // namespace

Operator const& op_sub() {
  static Operator const op = pair_operator<kFunction>({
      .name = "sub",
      .doc = "Difference of two tensors, element by element, broadcast.",
      .onnx = "Sub",
      .onnx_attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}, {"consumed_inputs", 1, 5}},
  });
  return op;
}

}  // namespace tw
