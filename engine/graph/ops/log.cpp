#include <cmath>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) { return ir::unary(ir::UnaryOp::kLog, x); });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double x) { return std::log(x); });
}

}  // namespace

Operator const& op_log() {
  static Operator const op{
      .name = "log",
      .doc = "Natural logarithm of the element.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Log",
      .onnx_attributes = {{"consumed_inputs", 1, 5}},
      .from_onnx = keep_one,
      .random_case = random_positive,
  };
  return op;
}

}  // namespace tw
