#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_not {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  if (inputs[0]->type != DType::kBool) return unfit("the operand is not a tensor of bools");
  return infer_same(attributes, inputs);
}

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kNot, x); },
    .number = [](double x) { return double(x == 0); },
};

RandomCase random_case(Rng& rng) {
  RandomCase result = random_logic(rng);
  result.inputs.resize(1);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "not",
      .doc = "True where the element is false.",
      .infer = infer,
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_not
