#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

constexpr JoinFunction kFunction{
    .expression = [](ir::Expr a,
                     ir::Expr b) { return ir::select(a < immediate(0, a.type()), a * b, a); },
    .number = [](double a, double b) { return a < 0 ? a * b : a; },
};

/// Before opset 7 a slope of [C] belongs to the channels, not to the last axis.
Result<Converted> from_onnx(ForeignContext const& context) {
  bool per_channel = context.opset < 7 && context.ranks.size() > 1 && context.ranks[1] == 1 &&
                     context.ranks[0] != 1;
  if (per_channel && context.constants[1].size() != 1)
    return unsupported("a slope per channel, as written before opset 7");
  return keep_two(context);
}

}  // namespace

Operator const& op_prelu() {
  static Operator const op = pair_operator<kFunction>({
      .name = "prelu",
      .doc = "The first element, times the second when it is below zero; broadcast.",
      .onnx = "PRelu",
      .onnx_attributes = {{"consumed_inputs", 1, 5}},
      .from_onnx = from_onnx,
  });
  return op;
}

}  // namespace tw
