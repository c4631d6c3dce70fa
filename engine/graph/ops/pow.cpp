#include <cmath>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  if (integer(attributes, "square") != 0) return infer_float(attributes, inputs);
  for (TensorInfo const* input : inputs)
    if (input && (!is_float(input->type) || input->type != inputs[0]->type))
      return unsupported("a power of integers, or of two types");
  return infer_pair(attributes, inputs);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  // A square is a product: exact, and a power is not.
  if (integer(attributes, "square") != 0)
    return map_compute(inputs.first(1), name, [](ir::Expr x) { return x * x; });
  return join_compute(inputs, name,
                      [](ir::Expr a, ir::Expr b) { return ir::binary(ir::BinaryOp::kPow, a, b); });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  if (integer(attributes, "square") != 0)
    return map_elements(inputs[0], [](double x) { return x * x; });
  return join_elements(inputs, [](double a, double b) { return std::pow(a, b); });
}

Result<Converted> from_onnx(ForeignContext const& context) {
  if (context.constants.size() != 2) return unsupported("a power without an exponent");
  NDArray const& power = context.constants[1];
  // A scalar does not change the rank of what it is broadcast with; [1] does not either, unless
  // that is a scalar.
  bool keeps_rank = power.shape().empty() || (power.shape().size() == 1 && context.ranks[0] > 0);
  if (!power.empty() && power.size() == 1 && keeps_rank && power.value_at(0) == 2)
    return keep_inputs(context, 1, {{"square", int64_t(1)}});
  return keep_two(context);
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_pair(rng);
  for (int64_t i = 0; i < result.inputs[0].size(); ++i)
    result.inputs[0].set_value(i, std::abs(result.inputs[0].value_at(i)) + 0.1);
  if (rng.below(2)) {
    result.inputs.pop_back();
    result.attributes["square"] = int64_t(1);
  }
  return result;
}

}  // namespace

Operator const& op_pow() {
  static Operator const op{
      .name = "pow",
      .doc = "First element to the power of the second, broadcast.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X", "Z"},
      .attributes = {{"square", "1: the power is 2 and no operand"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "Pow",
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
