#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  if (inputs[0]->type != DType::kBool) return unfit("the operand is no tensor of bools");
  return infer_same(attributes, inputs);
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) { return ir::unary(ir::UnaryOp::kNot, x); });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double x) { return double(x == 0); });
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_logic(rng);
  result.inputs.resize(1);
  return result;
}

}  // namespace

Operator const& op_not() {
  static Operator const op{
      .name = "not",
      .doc = "Whether it does not hold.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "Not",
      .from_onnx = keep_one,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
