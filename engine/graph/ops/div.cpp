#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

/// floor_div rounds down: where something is left over and the signs differ, that is one too low.
/// (Not by the absolute values: the least number has none.)
ir::Expr rounded_to_zero(ir::Expr a, ir::Expr b) {
  if (!is_signed(a.type())) return ir::floor_div(a, b);
  ir::Expr zero = immediate(0, a.type()), one = immediate(1, a.type());
  ir::Expr quotient = ir::floor_div(a, b);
  ir::Expr differ = ir::binary(ir::BinaryOp::kNe, a < zero, b < zero);
  ir::Expr left = ir::binary(ir::BinaryOp::kNe, ir::floor_mod(a, b), zero);
  return ir::select(differ && left, quotient + one, quotient);
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return join_compute(inputs, name, [](ir::Expr a, ir::Expr b) {
    return is_float(a.type()) ? a / b : rounded_to_zero(a, b);
  });
}

/// Doubles do not hold 64 bits.
ReferenceResult reference_i64(Arrays inputs) {
  NDArray const &a = inputs[0], &b = inputs[1];
  TRY_ASSIGN(Shape shape, broadcast(a.shape(), b.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(DType::kI64, shape));
  bool divided_by_zero = false;
  for_each_broadcast(shape, {a.shape(), b.shape()}, [&](int64_t i, std::span<int64_t const> at) {
    int64_t x = a.as<int64_t>()[size_t(at[0])], y = b.as<int64_t>()[size_t(at[1])];
    divided_by_zero = divided_by_zero || y == 0;
    out.as<int64_t>()[size_t(i)] = y == 0 ? 0 : y == -1 ? int64_t(0 - uint64_t(x)) : x / y;
  });
  if (divided_by_zero) return refused("division_by_zero", "an integer is divided by zero");
  return std::vector{out};
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  bool whole = !is_float(inputs[0].type());
  if (inputs[0].type() == DType::kI64) return reference_i64(inputs);
  if (whole)
    for (int64_t i = 0; i < inputs[1].size(); ++i)
      if (inputs[1].value_at(i) == 0)
        return refused("division_by_zero", "an integer is divided by zero");
  return join_elements(inputs,
                       [=](double a, double b) { return whole ? std::trunc(a / b) : a / b; });
}

RandomCase random_case(Rng& rng) {
  RandomCase result = rng.below(2) ? random_pair(rng) : random_integer_pair(rng);
  NDArray& by = result.inputs[1];
  for (int64_t i = 0; i < by.size(); ++i)
    if (by.value_at(i) == 0) by.set_value(i, 3);
  if (result.inputs[0].type() == DType::kI32) add_extremes(rng, result.inputs);
  return result;
}

}  // namespace

Operator const& op_div() {
  static Operator const op = of_two({
      .name = "div",
      .doc = "Quotient of two tensors, element by element, broadcast; of integers rounded towards "
             "zero.",
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw
