#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) { return x; });
}

ReferenceResult reference(Attributes const&, Arrays inputs) { return std::vector{inputs[0]}; }

}  // namespace

Operator const& op_identity() {
  static Operator const op{
      .name = "identity",
      .doc = "The tensor itself.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_same,
      .compute = compute,
      .reference = reference,
      .onnx = "Identity",
      .from_onnx = keep_one,
      .random_case = random_one,
  };
  return op;
}

}  // namespace tw
