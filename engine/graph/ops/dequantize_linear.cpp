#include "engine/graph/shared/quantized.h"

namespace tw::op_dequantize_linear {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(check_scales(attributes, inputs));
  if (!is_integer(inputs[0]->type) || size_of(inputs[0]->type) > 4 || !is_float(inputs[1]->type))
    return unsupported("dequantizing other numbers than integers of at most 32 bits");
  if (inputs.size() > 2 && inputs[2] && inputs[2]->type != inputs[0]->type)
    return unfit("the zero point is not of the type of what is dequantized");
  return one(inputs[1]->type, inputs[0]->shape);
}

/// Holds every difference of two numbers of the type.
DType difference_type(DType type) { return size_of(type) < 4 ? DType::kI32 : DType::kI64; }

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  std::vector<te::Axis> axes = output_axes(shape_of(inputs[0]));
  ir::Expr steps = ir::load(inputs[0], te::vars(axes));
  if (inputs.size() > 2 && inputs[2])
    steps = ir::cast(difference_type(steps.type()), steps) -
            ir::cast(difference_type(steps.type()), load_along(inputs[2], attributes, axes));
  ir::Expr scale = load_along(inputs[1], attributes, axes);
  return single(te::compute(name, axes, ir::cast(scale.type(), steps) * scale, name));
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const &x = inputs[0], &scale = inputs[1];
  bool zero = inputs.size() > 2 && !inputs[2].empty();
  TRY_ASSIGN(NDArray out, NDArray::create(scale.type(), x.shape()));
  for_each_scaled(attributes, x, scale, [&](int64_t i, int64_t at) {
    double steps = x.value_at(i) - (zero ? inputs[2].value_at(at) : 0);
    out.set_value(i, steps * scale.value_at(at));
  });
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  constexpr DType kTypes[] = {DType::kI8, DType::kU8};
  DType type = kTypes[rng.below(2)];
  RandomCase result{{}, {random_bytes(rng, random_shape(rng, size_t(rng.between(1, 4)), 4), type)}};
  add_random_scales(rng, result, type);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "dequantize_linear",
      .doc = "What quantize_linear made, as floats: (x - zero point) * scale.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X", "scale", "zero"},
      .attributes = {{"axis", "along which scales differ, if there are several"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_dequantize_linear
