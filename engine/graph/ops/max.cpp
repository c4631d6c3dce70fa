#include <algorithm>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return join_compute(inputs, name, [](ir::Expr a, ir::Expr b) { return ir::max(a, b); });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return join_elements(inputs, [](double a, double b) { return std::max(a, b); });
}

}  // namespace

Operator const& op_max() {
  static Operator const op{
      .name = "max",
      .doc = "Largest of any number of elements, broadcast.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_many,
      .compute = compute,
      .reference = reference,
      .onnx = "Max",
      .onnx_attributes = {{"consumed_inputs", 1, 5}},
      .from_onnx = keep_all,
      .random_case = random_many,
  };
  return op;
}

}  // namespace tw
