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
      .from_onnx = keep_two,
      .random_case = random_pair,
  };
  return op;
}

}  // namespace tw
