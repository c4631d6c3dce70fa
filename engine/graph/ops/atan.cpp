#include <cmath>

#include "engine/graph/shared/inverse_functions.h"
#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) { return arc_tangent(x); });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double x) { return std::atan(x); });
}

}  // namespace

Operator const& op_atan() {
  static Operator const op{
      .name = "atan",
      .doc = "Arc tangent of the element.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Atan",
      .from_onnx = keep_one,
      .random_case = random_one,
  };
  return op;
}

}  // namespace tw
