#include <fmt/format.h>

#include "engine/graph/shared/normalization.h"

namespace tw::op_instance_norm {
namespace {

using namespace ops;

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 3, 3));
  TensorInfo const& x = *inputs[0];
  if (x.shape.size() < 3 || !is_float(x.type))
    return unfit(fmt::format("a tensor of shape {} has no spatial axes", to_text(x.shape)));
  for (size_t i : {1, 2})
    if (inputs[i]->shape != Shape{x.shape[1]} || inputs[i]->type != x.type)
      return unfit(fmt::format("operand {} of shape {} for {} channels", i + 1,
                               to_text(inputs[i]->shape), x.shape[1]));
  return one(x.type, x.shape);
}

std::vector<bool> planes(size_t rank) {
  std::vector<bool> over(rank, true);
  over[0] = over[1] = false;
  return over;
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Normalized made = normalized(inputs[0], planes(inputs[0]->shape.size()),
                               number(attributes, "epsilon", 1e-5), name);
  ir::Expr c = made.axes[1].var();
  te::Stage last = te::compute(
      name, made.axes, made.value * ir::load(inputs[1], {c}) + ir::load(inputs[2], {c}), name);
  made.stages.push_back(last);
  return Tensors{made.stages, {last.output}};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  Shape const& shape = inputs[0].shape();
  int64_t inner = element_count(Shape(shape.begin() + 2, shape.end())).value_or(1);
  return map_normalized(inputs[0], planes(shape.size()), number(attributes, "epsilon", 1e-5),
                        [&](int64_t i, double value) {
                          int64_t c = i / inner % shape[1];
                          return value * inputs[1].value_at(c) + inputs[2].value_at(c);
                        });
}

RandomCase random_case(Rng& rng) {
  Shape shape = random_shape(rng, size_t(rng.between(3, 5)), 4);
  shape.back() += 2;  // a plane of one element has no variance
  return {{{"epsilon", 1e-3}},
          {random_array(rng, shape), random_array(rng, {shape[1]}), random_array(rng, {shape[1]})}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "instance_norm",
      .doc = "Each plane normalized to mean 0 and variance 1, then scaled and shifted per channel.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X", "scale", "B"},
      .attributes = {{"epsilon", "added to the variance"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_instance_norm
