#include <numeric>

#include "engine/graph/shared/quantized.h"
#include "engine/graph/shared/window.h"

namespace tw::op_sum_pool {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(Window window, window_of(attributes, inputs[0]->shape));
  if (!is_byte(inputs[0]->type)) return unfit("sums of windows are for i8 or u8");
  return one(DType::kI32, pooled_shape(window, inputs[0]->shape));
}

Result<Tensors> direct(Attributes const& attributes, Arrangement const& arrangement, Buffers inputs,
                       std::string const& name) {
  TRY_ASSIGN(Window window, window_of(attributes, arrangement.inputs[0].shape));
  return pool_stages(inputs[0], window, immediate(0, inputs[0]->type), te::Combiner::kSum, name,
                     name, DType::kI32);
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(Window window, window_of(attributes, inputs[0].shape()));
  return map_windows(inputs[0], window, DType::kI32, [](std::span<double const> all, int64_t) {
    return std::accumulate(all.begin(), all.end(), 0.0);
  });
}

RandomCase random_case(Rng& rng) {
  constexpr DType kTypes[] = {DType::kI8, DType::kU8};
  RandomCase result = random_pool(rng);
  result.inputs[0] = random_bytes(rng, result.inputs[0].shape(), kTypes[rng.below(2)]);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "sum_pool",
      .doc = "Sum of each window of bytes, in i32; padding counts as zeros.",
      .fusion = Fusion::kComplexOutFusable,  // as for a convolution: what follows makes bytes of it
      .inputs = {"X"},
      .attributes = pool_attributes({"dilations", "steps inside a window (dilations)"}),
      .infer = infer,
      .computes = {{.name = "direct",
                    .doc = "every output sums over its window; channels may be stored in blocks",
                    .takes = pool_takes,
                    .make = direct}},
      .reference = reference,
      .random_case = random_case,
      .rereads = window_rereads,
  };
  return op;
}

}  // namespace tw::op_sum_pool
