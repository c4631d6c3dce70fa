#include "engine/graph/shared/moves.h"
#include "engine/graph/shared/shapes.h"

namespace tw::op_expand {
namespace {

using namespace ops;

/// An extent of 1 in the wanted shape keeps the tensor's.
Result<Shape> expanded(Attributes const& attributes, Shape const& from) {
  TRY_ASSIGN(Shape shape, broadcast(from, integers(attributes, "shape")));
  TRY(element_count(shape));
  return shape;
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(Shape shape, expanded(attributes, shape_of(inputs[0])));
  std::vector<te::Axis> axes = output_axes(shape);
  return single(te::compute(name, axes, load_broadcast(inputs[0], axes), name));
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  Shape const& from = inputs[0].shape();
  TRY_ASSIGN(Shape shape, expanded(attributes, from));
  std::vector<int64_t> strides = row_major_strides(from);
  size_t fresh = shape.size() - from.size();
  return move_elements(inputs[0], shape, [&](std::span<int64_t const> at) {
    int64_t flat = 0;
    for (size_t i = 0; i < from.size(); ++i)
      if (from[i] != 1) flat += at[fresh + i] * strides[i];
    return flat;
  });
}

RandomCase random_case(Rng& rng) {
  Shape shape = random_shape(rng, size_t(rng.between(1, 4)), 4), from = shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (rng.below(3) == 0) from[i] = 1;
    if (rng.below(4) == 0) shape[i] = 1;
  }
  if (rng.below(2)) from.erase(from.begin());
  return {{{"shape", shape}}, {random_array(rng, from)}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "expand",
      .doc = "The tensor broadcast to a shape by repeating axes of extent 1.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .attributes = {{"shape", "the shape; an extent of 1 keeps the tensor's extent"}},
      .infer = infer_shape<expanded>,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_expand
