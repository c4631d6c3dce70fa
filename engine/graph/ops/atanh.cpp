#include <cmath>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

/// Elements in (-1, 1).
RandomCase random_case(Rng& rng) {
  RandomCase result = random_one(rng);
  NDArray& x = result.inputs[0];
  for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, 1.98 * rng.uniform() - 0.99);
  return result;
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) {
    return ir::unary(ir::UnaryOp::kLog,
                     (immediate(1, x.type()) + x) / (immediate(1, x.type()) - x)) *
           immediate(0.5, x.type());
  });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double x) { return std::atanh(x); });
}

}  // namespace

Operator const& op_atanh() {
  static Operator const op{
      .name = "atanh",
      .doc = "Inverse of the hyperbolic tangent.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Atanh",
      .from_onnx = keep_one,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
