#include <cmath>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) {
    return x / (immediate(1, x.type()) + ir::unary(ir::UnaryOp::kAbs, x));
  });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double x) { return x / (1 + std::abs(x)); });
}

}  // namespace

Operator const& op_softsign() {
  static Operator const op{
      .name = "softsign",
      .doc = "x / (1 + |x|).",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Softsign",
      .from_onnx = keep_one,
      .random_case = random_one,
  };
  return op;
}

}  // namespace tw
