#include <fmt/format.h>

#include <cmath>

#include "engine/graph/shared/elements.h"

namespace tw::op_batch_norm {
namespace {

using namespace ops;

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 5, 5));
  TensorInfo const& x = *inputs[0];
  if (x.shape.size() < 2 || !is_float(x.type))
    return unfit(fmt::format("a tensor of shape {} has no channels", to_text(x.shape)));
  for (size_t i = 1; i < 5; ++i)
    if (inputs[i]->shape != Shape{x.shape[1]} || inputs[i]->type != x.type)
      return unfit(fmt::format("operand {} of shape {} for {} channels", i + 1,
                               to_text(inputs[i]->shape), x.shape[1]));
  return one(x.type, x.shape);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  std::vector<te::Axis> axes = output_axes(shape_of(inputs[0]));
  auto per_channel = [&](size_t i) { return ir::load(inputs[i], {axes[1].var()}); };
  ir::Expr deviation =
      ir::unary(ir::UnaryOp::kSqrt,
                per_channel(4) + immediate(number(attributes, "epsilon", 1e-5), inputs[0]->type));
  ir::Expr body =
      (ir::load(inputs[0], te::vars(axes)) - per_channel(3)) / deviation * per_channel(1) +
      per_channel(2);
  return single(te::compute(name, axes, body, name));
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(NDArray out, NDArray::create(inputs[0].type(), inputs[0].shape()));
  int64_t channels = out.shape()[1];
  int64_t inner = element_count(Shape(out.shape().begin() + 2, out.shape().end())).value_or(1);
  double epsilon = number(attributes, "epsilon", 1e-5);
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t c = i / inner % channels;
    double normal = (inputs[0].value_at(i) - inputs[3].value_at(c)) /
                    std::sqrt(inputs[4].value_at(c) + epsilon);
    out.set_value(i, normal * inputs[1].value_at(c) + inputs[2].value_at(c));
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  Shape shape = random_shape(rng, size_t(rng.between(2, 5)), 4);
  RandomCase result{{{"epsilon", 1e-3}}, {random_array(rng, shape)}};
  for (int i = 0; i < 4; ++i) result.inputs.push_back(random_array(rng, {shape[1]}));
  for (float& v : result.inputs[4].as<float>()) v = std::fabs(v) + 0.1f;  // a variance
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "batch_norm",
      .doc =
          "Normalization of each channel by given mean and variance, then scale and shift "
          "(inference).",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X", "scale", "shift", "mean", "variance"},
      .attributes = {{"epsilon", "added to the variance"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_batch_norm
