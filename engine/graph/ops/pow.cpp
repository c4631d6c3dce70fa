#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"
#include "engine/tensor/integers.h"

namespace tw::op_pow {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  if (integer(attributes, "square") != 0) return infer_same(attributes, inputs);
  TRY(expect_inputs(inputs, 2, 2));
  for (TensorInfo const* input : inputs)
    if (input->type == DType::kBool) return unsupported("a power of bools");
  TRY_ASSIGN(Shape shape, broadcast(inputs[0]->shape, inputs[1]->shape));
  return one(inputs[0]->type, shape);
}

/// Integers by way of doubles; the result has the type of the base.
ir::Expr power(ir::Expr base, ir::Expr exponent) {
  DType type = base.type();
  if (is_float(type)) return ir::binary(ir::BinaryOp::kPow, base, ir::cast(type, exponent));
  ir::Expr value =
      ir::binary(ir::BinaryOp::kPow, ir::cast(DType::kF64, base), ir::cast(DType::kF64, exponent));
  // A double's power of integers may end just below one.
  return ir::cast(type, ir::unary(ir::UnaryOp::kRound, value));
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  // A square is a product: exact, and a power is not.
  if (integer(attributes, "square") != 0)
    return map_compute(inputs.first(1), name, [](ir::Expr x) { return x * x; });
  return join_compute(inputs, name, power);
}

/// By way of doubles, as the kernel: an integer that is too large is the end of i64, then wrapped.
ReferenceResult integer_powers(Arrays inputs) {
  NDArray const &base = inputs[0], &exponent = inputs[1];
  TRY_ASSIGN(Shape shape, broadcast(base.shape(), exponent.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(base.type(), shape));
  TRY_ASSIGN(NDArray power, NDArray::create(DType::kF64, {1}));
  for_each_broadcast(
      shape, {base.shape(), exponent.shape()}, [&](int64_t i, std::span<int64_t const> at) {
        power.set_value(0,
                        std::nearbyint(std::pow(base.value_at(at[0]), exponent.value_at(at[1]))));
        set_integer(out, i, integer_at(power, 0));
      });
  return std::vector{out};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  if (integer(attributes, "square") != 0)
    return is_integer(inputs[0].type())
               ? map_integers(inputs[0], [](int64_t x, DType) { return wrapped_product(x, x); })
               : map_elements(inputs[0], [](double x) { return x * x; });
  auto power = [](double a, double b) { return std::pow(a, b); };
  if (is_float(inputs[0].type())) return join_elements(inputs, power);
  return integer_powers(inputs);
}

NDArray small_integers(Rng& rng, Shape const& shape) {
  NDArray array = random_array(rng, shape, DType::kI64);
  for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, double(rng.between(0, 5)));
  return array;
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_pair(rng);
  for (int64_t i = 0; i < result.inputs[0].size(); ++i)
    result.inputs[0].set_value(i, std::abs(result.inputs[0].value_at(i)) + 0.1);
  int64_t kind = rng.below(3);
  if (kind == 1) result.inputs[1] = small_integers(rng, result.inputs[1].shape());
  if (kind == 1 && rng.below(2)) result.inputs[0] = small_integers(rng, result.inputs[0].shape());
  if (kind == 2) {
    result.inputs.pop_back();
    result.attributes["square"] = int64_t(1);
  }
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op = of_two({
      .name = "pow",
      .doc = "First element to the power of the second, broadcast.",
      .attributes = {{"square", "1: the exponent is 2, and not an operand"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_pow
