#include <fmt/format.h>

#include "engine/graph/shared/reduction.h"

namespace tw::op_global_max_pool {
namespace {

using namespace ops;

constexpr Reduction kReduction{.combiner = te::Combiner::kMax};

/// All axes behind the channels, which stay with extent 1.
Attributes planes(size_t rank) {
  std::vector<int64_t> axes;
  for (size_t i = 2; i < rank; ++i) axes.push_back(int64_t(i));
  return {{"axes", axes}};
}

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  if (inputs[0]->shape.size() < 3)
    return unfit(
        fmt::format("a tensor of shape {} has no spatial axes", to_text(inputs[0]->shape)));
  return infer_reduction(kReduction, planes(inputs[0]->shape.size()), inputs);
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return compute_reduction(kReduction, planes(inputs[0]->shape.size()), inputs, name);
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return reference_reduction(kReduction, planes(inputs[0].shape().size()), inputs);
}

RandomCase random_case(Rng& rng) {
  return {{}, {random_array(rng, random_shape(rng, size_t(rng.between(3, 5)), 5))}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "global_max_pool",
      .doc = "Largest element of each channel.",
      .fusion = Fusion::kReduction,
      .inputs = {"X"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_global_max_pool
