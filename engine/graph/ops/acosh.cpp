#include <cmath>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

/// Elements of at least 1.
RandomCase random_case(Rng& rng) {
  RandomCase result = random_one(rng);
  NDArray& x = result.inputs[0];
  for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, 1 + std::abs(x.value_at(i)));
  return result;
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) {
    return ir::unary(ir::UnaryOp::kLog,
                     x + ir::unary(ir::UnaryOp::kSqrt, x * x - immediate(1, x.type())));
  });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double x) { return std::acosh(x); });
}

}  // namespace

Operator const& op_acosh() {
  static Operator const op{
      .name = "acosh",
      .doc = "Inverse of the hyperbolic cosine.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Acosh",
      .from_onnx = keep_one,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
