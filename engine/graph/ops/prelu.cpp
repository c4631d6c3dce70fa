#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return join_compute(inputs, name, [](ir::Expr a, ir::Expr b) {
    return ir::select(a < immediate(0, a.type()), a * b, a);
  });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return join_elements(inputs, [](double a, double b) { return a < 0 ? a * b : a; });
}

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
  static Operator const op{
      .name = "prelu",
      .doc = "The first element, times the second when it is below zero; broadcast.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X", "Z"},
      .infer = infer_pair,
      .compute = compute,
      .reference = reference,
      .onnx = "PRelu",
      .onnx_attributes = {{"consumed_inputs", 1, 5}},
      .from_onnx = from_onnx,
      .random_case = random_pair,
  };
  return op;
}

}  // namespace tw
