#include <fmt/format.h>

#include "engine/graph/shared/winograd.h"

namespace tw::op_winograd_weights {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  Shape const& shape = inputs[0]->shape;
  int64_t outputs = integer(attributes, "outputs");
  if (outputs != 2 && outputs != 4) return unfit(fmt::format("tiles of {0}x{0} results", outputs));
  if (shape.size() != 4 || shape[2] != 3 || shape[3] != 3)
    return unfit(fmt::format("weights of shape {} are not 3x3", to_text(shape)));
  if (!is_float(inputs[0]->type) || size_of(inputs[0]->type) < 4)
    return unsupported("weights that are not f32 or f64");
  return one(inputs[0]->type, {(outputs + 2) * (outputs + 2), shape[0], shape[1]});
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  return ops::winograd_weights(integer(attributes, "outputs"), inputs[0], name);
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  Shape const& shape = inputs[0].shape();
  int64_t outputs = integer(attributes, "outputs"), places = (outputs + 2) * (outputs + 2),
          pairs = shape[0] * shape[1];
  TRY_ASSIGN(NDArray out, NDArray::create(inputs[0].type(), {places, shape[0], shape[1]}));
  for (int64_t pair = 0; pair < pairs; ++pair) {
    std::vector<double> weights;
    for (int64_t tap = 0; tap < 9; ++tap) weights.push_back(inputs[0].value_at(pair * 9 + tap));
    std::vector<double> made = on_both_sides(weight_transform(outputs), weights);
    for (int64_t t = 0; t < places; ++t) out.set_value(t * pairs + pair, made[size_t(t)]);
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  Shape shape{rng.between(1, 5), rng.between(1, 5), 3, 3};
  return {{{"outputs", rng.below(2) ? int64_t(2) : int64_t(4)}}, {random_array(rng, shape)}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "winograd_weights",
      .doc =
          "Weights O x C x 3 x 3 transformed for tiles of a convolution (Winograd), one matrix "
          "O x C for each place of a tile.",
      .fusion = Fusion::kComplexOutFusable,
      .inputs = {"W"},
      .attributes = {{"outputs", "results along an edge of a tile: 2 or 4"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_winograd_weights
