#include <algorithm>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) {
    return x * ir::min(ir::max(x * immediate(1.0 / 6, x.type()) + immediate(0.5, x.type()),
                               immediate(0, x.type())),
                       immediate(1, x.type()));
  });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0],
                      [](double x) { return x * std::min(std::max(x / 6 + 0.5, 0.0), 1.0); });
}

}  // namespace

Operator const& op_hard_swish() {
  static Operator const op{
      .name = "hard_swish",
      .doc = "x times x / 6 + 1/2 moved into [0, 1].",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "HardSwish",
      .from_onnx = keep_one,
      .random_case = random_one,
  };
  return op;
}

}  // namespace tw
