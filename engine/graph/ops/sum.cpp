#include "engine/graph/shared/elements.h"
#include "engine/graph/shared/onnx.h"

namespace tw {
namespace {

using namespace ops;

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 1, inputs.size()));
  TRY_ASSIGN(Shape shape, broadcast_all(inputs));
  return one(inputs[0]->type, shape);
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  Shape shape;
  for (te::Buffer const& input : inputs) {
    TRY_ASSIGN(shape, broadcast(shape, shape_of(input)));
  }
  std::vector<te::Axis> axes = output_axes(shape);
  ir::Expr total = load_broadcast(inputs[0], axes);
  for (te::Buffer const& input : inputs.subspan(1)) total = total + load_broadcast(input, axes);
  return single(te::compute(name, axes, total, name));
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  NDArray total = inputs[0].clone();
  for (NDArray const& input : inputs.subspan(1)) {
    TRY_ASSIGN(auto next, zip_elements(total, input, [](double a, double b) { return a + b; }));
    total = next[0];
  }
  return std::vector{total};
}

Result<Converted> from_onnx(ForeignContext const& context) {
  return keep_inputs(context, context.node.inputs.size());
}

RandomCase random_case(Rng& rng) {
  Shape shape = random_shape(rng, size_t(rng.between(1, 4)), 4);
  RandomCase result;
  for (int64_t i = rng.between(1, 4); i > 0; --i) {
    Shape one_of = shape;
    if (rng.below(3) == 0) one_of[0] = 1;
    result.inputs.push_back(random_array(rng, one_of));
  }
  return result;
}

}  // namespace

Operator const& op_sum() {
  static Operator const op{
      .name = "sum",
      .doc = "Sum of any number of tensors, broadcast.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "Sum",
      .onnx_attributes = {{"consumed_inputs", 1, 5}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
