#include "engine/graph/shared/pointwise_operators.h"
#include "engine/tensor/integers.h"

namespace tw::op_div {
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

ReferenceResult reference(Attributes const&, Arrays inputs) {
  if (!is_float(inputs[0].type()))
    for (int64_t i = 0; i < inputs[1].size(); ++i)
      if (integer_at(inputs[1], i) == 0)
        return refused("division_by_zero", "an integer is divided by zero");
  auto of_integers = [](int64_t a, int64_t b, DType type) {
    if (type == DType::kU64) return int64_t(uint64_t(a) / uint64_t(b));
    return b == -1 ? wrapped_negative(a) : a / b;  // the least one by -1 has no quotient
  };
  return join_elements(
      inputs, [](double a, double b) { return a / b; }, of_integers);
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

Operator const& row() {
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

}  // namespace tw::op_div
