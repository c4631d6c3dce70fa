#include <fmt/format.h>

#include "engine/graph/shared/normalization.h"

namespace tw::op_layer_norm {
namespace {

using namespace ops;

Result<std::vector<bool>> trailing(Attributes const& attributes, size_t rank) {
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis", -1), rank));
  std::vector<bool> over(rank, false);
  for (size_t i = size_t(axis); i < rank; ++i) over[i] = true;
  return over;
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 3));
  TensorInfo const& x = *inputs[0];
  TRY(trailing(attributes, x.shape.size()));
  if (!is_float(x.type)) return unfit("layer normalization needs floats");
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (!inputs[i]) continue;
    TRY_ASSIGN(Shape both, broadcast(x.shape, inputs[i]->shape));
    if (both != x.shape || inputs[i]->type != x.type)
      return unfit(fmt::format("operand {} of shape {} for a tensor of shape {}", i + 1,
                               to_text(inputs[i]->shape), to_text(x.shape)));
  }
  return one(x.type, x.shape);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(std::vector<bool> over, trailing(attributes, inputs[0]->shape.size()));
  Normalized made = normalized(inputs[0], over, number(attributes, "epsilon", 1e-5), name);
  ir::Expr body = made.value * load_broadcast(inputs[1], made.axes);
  if (inputs.size() > 2 && inputs[2]) body = body + load_broadcast(inputs[2], made.axes);
  te::Stage last = te::compute(name, made.axes, body, name);
  made.stages.push_back(last);
  return Tensors{made.stages, {last.output}};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(std::vector<bool> over, trailing(attributes, inputs[0].shape().size()));
  TRY_ASSIGN(std::vector<NDArray> normal,
             map_normalized(inputs[0], over, number(attributes, "epsilon", 1e-5),
                            [](int64_t, double value) { return value; }));
  TRY_ASSIGN(std::vector<NDArray> scaled,
             zip_elements(normal[0], inputs[1], [](double a, double b) { return a * b; }));
  if (inputs.size() < 3 || inputs[2].empty()) return scaled;
  return zip_elements(scaled[0], inputs[2], [](double a, double b) { return a + b; });
}

RandomCase random_case(Rng& rng) {
  Shape shape = random_shape(rng, size_t(rng.between(1, 4)), 4);
  shape.back() += 2;  // one element alone has no variance
  int64_t axis = rng.below(int64_t(shape.size()));
  Shape normal(shape.begin() + axis, shape.end());
  RandomCase result{{{"axis", axis}, {"epsilon", 1e-3}},
                    {random_array(rng, shape), random_array(rng, normal)}};
  if (rng.below(2)) result.inputs.push_back(random_array(rng, normal));
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "layer_norm",
      .doc = "The elements along the last axes normalized to mean 0 and variance 1, then scaled.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X", "scale", "B"},
      .attributes = {{"axis", "first axis that is normalized"},
                     {"epsilon", "added to the variance"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_layer_norm
