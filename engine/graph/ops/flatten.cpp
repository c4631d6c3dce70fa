#include <fmt/format.h>

#include "engine/graph/shared/elements.h"
#include "engine/graph/shared/onnx.h"

namespace tw {
namespace {

using namespace ops;

/// Everything before `axis` and everything from it on.
Result<Shape> flat(Attributes const& attributes, Shape const& shape) {
  int64_t axis = integer(attributes, "axis", 1), rank = int64_t(shape.size());
  if (axis < -rank || axis > rank)
    return unfit(fmt::format("axis {} is outside a tensor of {} dimensions", axis, rank));
  if (axis < 0) axis += rank;
  TRY_ASSIGN(int64_t rows, element_count(Shape(shape.begin(), shape.begin() + axis)));
  TRY_ASSIGN(int64_t columns, element_count(Shape(shape.begin() + axis, shape.end())));
  return Shape{rows, columns};
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(Shape shape, flat(attributes, inputs[0]->shape));
  return one(inputs[0]->type, shape);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(Shape shape, flat(attributes, shape_of(inputs[0])));
  return reshape_compute(inputs[0], shape, name, name);
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(Shape shape, flat(attributes, inputs[0].shape()));
  return std::vector{inputs[0].reshaped(shape)};
}

Result<Converted> from_onnx(ForeignContext const& context) {
  return keep_inputs(context, 1, {{"axis", onnx_integer(context.node, "axis", 1)}});
}

RandomCase random_case(Rng& rng) {
  int64_t rank = rng.between(1, 4);
  return {{{"axis", rng.between(-rank, rank)}},
          {random_array(rng, random_shape(rng, size_t(rank), 4))}};
}

}  // namespace

Operator const& op_flatten() {
  static Operator const op{
      .name = "flatten",
      .doc = "The same elements as a matrix.",
      .fusion = Fusion::kInjective,
      .inputs = {"X"},
      .attributes = {{"axis", "first axis of the columns"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "Flatten",
      .onnx_attributes = {{"axis"}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
