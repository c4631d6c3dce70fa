#include <cmath>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

bool is_signed(DType type) {
  return type == DType::kI8 || type == DType::kI16 || type == DType::kI32 || type == DType::kI64;
}

/// floor_div rounds down: the division is made without signs, the sign is added.
ir::Expr rounded_to_zero(ir::Expr a, ir::Expr b) {
  if (!is_signed(a.type())) return ir::floor_div(a, b);
  auto negative = [](ir::Expr x) { return x < immediate(0, x.type()); };
  auto size = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kAbs, x); };
  ir::Expr quotient = ir::floor_div(size(a), size(b));
  return ir::select(ir::binary(ir::BinaryOp::kEq, negative(a), negative(b)), quotient,
                    ir::unary(ir::UnaryOp::kNeg, quotient));
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return join_compute(inputs, name, [](ir::Expr a, ir::Expr b) {
    return is_float(a.type()) ? a / b : rounded_to_zero(a, b);
  });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  bool whole = !is_float(inputs[0].type());
  if (whole)
    for (int64_t i = 0; i < inputs[1].size(); ++i)
      if (inputs[1].value_at(i) == 0) return unfit("an integer is divided by zero");
  return join_elements(inputs,
                       [=](double a, double b) { return whole ? std::trunc(a / b) : a / b; });
}

RandomCase random_case(Rng& rng) {
  RandomCase result = rng.below(2) ? random_pair(rng) : random_integer_pair(rng);
  NDArray& by = result.inputs[1];
  for (int64_t i = 0; i < by.size(); ++i)
    if (by.value_at(i) == 0) by.set_value(i, 3);
  return result;
}

}  // namespace

Operator const& op_div() {
  static Operator const op{
      .name = "div",
      .doc =
          "Quotient of two tensors, element by element, broadcast; of integers rounded towards "
          "zero.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X", "Z"},
      .infer = infer_pair,
      .compute = compute,
      .reference = reference,
      .onnx = "Div",
      .from_onnx = keep_two,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
