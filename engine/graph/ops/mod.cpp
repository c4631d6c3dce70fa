#include <array>
#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"
#include "engine/tensor/integers.h"

namespace tw::op_mod {
namespace {

using namespace ops;

bool like_c(Attributes const& attributes) { return integer(attributes, "like_c") != 0; }

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY_ASSIGN(std::vector<TensorInfo> infos, infer_pair(attributes, inputs));
  if (infos[0].type == DType::kBool || (is_float(infos[0].type) && !like_c(attributes)))
    return unsupported("a remainder of floats with the sign of the divisor");
  return infos;
}

/// The sign is that of the dividend.
ir::Expr remainder(ir::Expr a, ir::Expr b) {
  if (is_float(a.type())) return ir::binary(ir::BinaryOp::kFmod, a, b);
  ir::Expr zero = immediate(0, a.type());
  ir::Expr rest = ir::floor_mod(a, b);  // with the sign of the divisor
  ir::Expr differ = ir::binary(ir::BinaryOp::kNe, a < zero, b < zero);
  return ir::select(differ && ir::binary(ir::BinaryOp::kNe, rest, zero), rest - b, rest);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  bool plain = !like_c(attributes) || (!is_float(inputs[0]->type) && !is_signed(inputs[0]->type));
  return join_compute(inputs, name, [=](ir::Expr a, ir::Expr b) {
    return plain ? ir::floor_mod(a, b) : remainder(a, b);
  });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  bool c = like_c(attributes), floats = is_float(inputs[0].type());
  if (!floats)
    for (int64_t i = 0; i < inputs[1].size(); ++i)
      if (integer_at(inputs[1], i) == 0)
        return refused("division_by_zero", "an integer is divided by zero");
  auto of_integers = [=](int64_t a, int64_t b, DType type) {
    if (type == DType::kU64) return int64_t(uint64_t(a) % uint64_t(b));
    int64_t rest = b == -1 ? 0 : a % b;  // the least one by -1 has no quotient
    return c || rest == 0 || (rest < 0) == (b < 0) ? rest : rest + b;
  };
  return join_elements(
      inputs, [](double a, double b) { return std::fmod(a, b); }, of_integers);
}

RandomCase random_case(Rng& rng) {
  bool floats = rng.below(2) != 0;
  RandomCase result = floats ? random_pair(rng) : random_integer_pair(rng);
  result.attributes["like_c"] = floats ? int64_t(1) : rng.below(2);
  NDArray& divisor = result.inputs[1];
  for (int64_t i = 0; i < divisor.size(); ++i)
    if (std::abs(divisor.value_at(i)) < 0.1) divisor.set_value(i, 3);
  if (!floats) add_extremes(rng, result.inputs);
  // Quotients of many digits, and what has none.
  constexpr std::array<double, 6> kFar{1e30, -3e37, 1e-38, HUGE_VAL, -HUGE_VAL, 0};
  for (NDArray* input : {&result.inputs[0], &divisor})
    if (floats && rng.below(2))
      for (double value : kFar) input->set_value(rng.below(input->size()), value);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op = of_two({
      .name = "mod",
      .doc = "Remainder of a division, with the sign of the divisor.",
      .attributes = {{"like_c", "1: it has the sign of the dividend, like C's % and fmod"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_mod
