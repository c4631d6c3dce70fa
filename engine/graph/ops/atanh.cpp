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
    // (1 + x) / (1 - x) = 1 + 2x / (1 - x)
    ir::Expr size = ir::unary(ir::UnaryOp::kAbs, x), one = immediate(1, x.type());
    ir::Expr value = log_of_one_plus((size + size) / (one - size)) * immediate(0.5, x.type());
    return ir::select(x < immediate(0, x.type()), ir::unary(ir::UnaryOp::kNeg, value), value);
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
