#include "engine/graph/shared/normalization.h"

namespace tw::op_mean_variance_norm {
namespace {

using namespace ops;

constexpr double kEpsilon = 1e-9;  // as the operator's definition by others has it

Result<std::vector<bool>> chosen(Attributes const& attributes, size_t rank) {
  std::vector<bool> over(rank, false);
  for (int64_t axis : integers(attributes, "axes")) {
    TRY_ASSIGN(axis, normal_axis(axis, rank));
    over[size_t(axis)] = true;
  }
  for (bool one : over)
    if (one) return over;
  return unsupported("normalization needs at least one axis");
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY(chosen(attributes, inputs[0]->shape.size()));
  if (!is_float(inputs[0]->type)) return unfit("normalization needs floats");
  return one(inputs[0]->type, inputs[0]->shape);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(std::vector<bool> over, chosen(attributes, inputs[0]->shape.size()));
  Normalized made = normalized(inputs[0], over, kEpsilon, name);
  te::Stage last = te::compute(name, made.axes, made.value, name);
  made.stages.push_back(last);
  return Tensors{made.stages, {last.output}};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(std::vector<bool> over, chosen(attributes, inputs[0].shape().size()));
  return map_normalized(inputs[0], over, kEpsilon, [](int64_t, double value) { return value; });
}

RandomCase random_case(Rng& rng) {
  Shape shape = random_shape(rng, size_t(rng.between(1, 4)), 4);
  shape.back() += 2;  // one element alone has no variance
  std::vector<int64_t> axes{-1};
  if (shape.size() > 1 && rng.below(2)) axes.push_back(0);
  return {{{"axes", axes}}, {random_array(rng, shape)}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "mean_variance_norm",
      .doc = "The elements along some axes normalized to mean 0 and variance 1.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X"},
      .attributes = {{"axes", "axes that are normalized"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_mean_variance_norm
