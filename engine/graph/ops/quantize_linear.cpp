#include <algorithm>
#include <cmath>

#include "engine/graph/shared/quantized.h"

namespace tw::op_quantize_linear {
namespace {

using namespace ops;

bool is_narrow(DType type) { return is_byte(type) || type == DType::kI16 || type == DType::kU16; }

/// That of the zero point, of attribute "type", or u8.
Result<DType> type_of(Attributes const& attributes, DType const* zero) {
  DType type = zero ? *zero : DType::kU8;
  if (has(attributes, "type") && !zero)
    type = parse_dtype(text(attributes, "type")).value_or(DType::kBool);
  if (is_narrow(type)) return type;
  return unsupported("quantizing to other integers than those of 8 or 16 bits");
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(check_scales(attributes, inputs));
  if (!is_float(inputs[0]->type) || inputs[1]->type != inputs[0]->type)
    return unsupported("quantizing other numbers than floats of the type of their scales");
  bool zero = inputs.size() > 2 && inputs[2];
  TRY_ASSIGN(DType type, type_of(attributes, zero ? &inputs[2]->type : nullptr));
  return one(type, inputs[0]->shape);
}

/// Clamped before it is converted: what does not fit into the type is not lost.
Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  bool zero = inputs.size() > 2 && inputs[2];
  DType from = inputs[0]->type;
  TRY_ASSIGN(DType type, type_of(attributes, zero ? &inputs[2]->type : nullptr));
  std::vector<te::Axis> axes = output_axes(shape_of(inputs[0]));
  ir::Expr x = ir::load(inputs[0], te::vars(axes));
  ir::Expr steps = ir::unary(ir::UnaryOp::kRound, x / load_along(inputs[1], attributes, axes));
  if (zero) steps = steps + ir::cast(from, load_along(inputs[2], attributes, axes));
  double low = double(*ir::as_int(ir::lowest(type))), high = double(*ir::as_int(ir::highest(type)));
  ir::Expr held = ir::min(ir::max(steps, immediate(low, from)), immediate(high, from));
  return single(te::compute(name, axes, ir::cast(type, held), name));
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const &x = inputs[0], &scale = inputs[1];
  bool zero = inputs.size() > 2 && !inputs[2].empty();
  DType own = zero ? inputs[2].type() : DType::kU8;
  TRY_ASSIGN(DType type, type_of(attributes, zero ? &own : nullptr));
  TRY_ASSIGN(NDArray out, NDArray::create(type, x.shape()));
  bool is_double = x.type() == DType::kF64;
  double low = double(*ir::as_int(ir::lowest(type))), high = double(*ir::as_int(ir::highest(type)));
  for_each_scaled(attributes, x, scale, [&](int64_t i, int64_t at) {
    // Divided in the type of the operands: another quotient may be rounded the other way.
    double steps = is_double ? x.value_at(i) / scale.value_at(at)
                             : double(float(x.value_at(i)) / float(scale.value_at(at)));
    steps = std::nearbyint(steps) + (zero ? inputs[2].value_at(at) : 0);
    out.set_value(i, std::clamp(steps, low, high));
  });
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  constexpr DType kTypes[] = {DType::kI8, DType::kU8};
  RandomCase result = random_one(rng);
  for (int64_t i = 0; i < result.inputs[0].size(); ++i) {
    double value = rng.normal() * 40;
    result.inputs[0].set_value(i, rng.below(2) ? value : std::floor(value) / 8);
  }
  DType type = kTypes[rng.below(2)];
  add_random_scales(rng, result, type);
  if (result.inputs.size() == 2 && rng.below(2))
    result.attributes["type"] = std::string(to_text(type));
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "quantize_linear",
      .doc =
          "Floats as integers of few bits: x / scale, rounded to the nearest (halves to the even "
          "one), plus the zero point, clamped to what the type holds.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X", "scale", "zero"},
      .attributes = {{"axis", "along which scales differ, if there are several"},
                     {"type", "of the result, if there is no zero point; else u8"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_quantize_linear
