#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/shared/quantized.h"

namespace tw::op_requantize {
namespace {

using namespace ops;

/// (x + 2^(shift-1)) >> shift, then into [low, high].
struct Step {
  int64_t shift, low, high;
  DType type;
};

Result<Step> step_of(Attributes const& attributes) {
  std::string name = text(attributes, "type", "i8");
  Step step{integer(attributes, "shift"), 0, 0, parse_dtype(name).value_or(DType::kBool)};
  if (!is_byte(step.type)) return unfit(fmt::format("sums become bytes, not '{}'", name));
  int64_t least = *ir::as_int(ir::lowest(step.type)), most = *ir::as_int(ir::highest(step.type));
  step.low = integer(attributes, "low", least);
  step.high = integer(attributes, "high", most);
  if (step.shift < 0 || step.shift > 31)
    return unfit(fmt::format("a shift by {} places", step.shift));
  if (step.low < least || step.high > most || step.low > step.high)
    return unfit(fmt::format("bounds {} and {} for {}", step.low, step.high, name));
  return step;
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(Step step, step_of(attributes));
  if (inputs[0]->type != DType::kI32) return unfit("sums are i32");
  return one(step.type, inputs[0]->shape);
}

/// A stage for each instruction of a processor for integers.
Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(Step step, step_of(attributes));
  std::vector<te::Axis> axes = output_axes(shape_of(inputs[0]));
  Tensors tensors;
  auto last = [&] {
    return ir::load(tensors.stages.empty() ? inputs[0] : tensors.stages.back().output,
                    te::vars(axes));
  };
  auto add = [&](char const* what, ir::Expr body) {
    tensors.stages.push_back(te::compute(fmt::format("{}_{}", name, what), axes, body, what));
  };
  auto number = [](int64_t value) { return ir::int_imm(value, DType::kI32); };
  if (step.shift > 0) {
    add("half", last() + number(int64_t(1) << (step.shift - 1)));
    add("shift", ir::binary(ir::BinaryOp::kShiftRight, last(), number(step.shift)));
  }
  add("low", ir::max(last(), number(step.low)));
  add("high", ir::min(last(), number(step.high)));
  tensors.stages.push_back(te::compute(name, axes, ir::cast(step.type, last()), name));
  tensors.outputs = {tensors.stages.back().output};
  return tensors;
}

/// The sum wraps, as that of the kernel does.
ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(Step step, step_of(attributes));
  TRY_ASSIGN(NDArray out, NDArray::create(step.type, inputs[0].shape()));
  std::span<int32_t const> x = inputs[0].as<int32_t>();
  uint32_t half = step.shift > 0 ? uint32_t(1) << (step.shift - 1) : 0;
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t steps = int64_t(int32_t(uint32_t(x[i]) + half)) >> step.shift;
    out.set_value(int64_t(i), double(std::clamp(steps, step.low, step.high)));
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  bool is_signed_byte = rng.below(2);
  int64_t shift = rng.below(12);
  RandomCase result{
      {{"shift", shift}, {"type", std::string(is_signed_byte ? "i8" : "u8")}},
      {random_array(rng, random_shape(rng, size_t(rng.between(1, 5)), 4), DType::kI32)}};
  if (rng.below(2)) result.attributes["low"] = rng.below(2) && is_signed_byte ? -127 : int64_t(0);
  if (rng.below(2)) result.attributes["high"] = rng.between(1, 127);
  for (int64_t i = 0; i < result.inputs[0].size(); ++i)
    result.inputs[0].set_value(i, double(rng.between(-(200 << shift), 200 << shift)));
  add_extremes(rng, result.inputs);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "requantize",
      .doc =
          "Sums in i32 as bytes with a scale that is 2^shift times as large: shifted to the "
          "right, halves rounded up, and clamped.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .attributes = {{"shift", "places, 0 to 31"},
                     {"low", "lower bound; 0 where negative numbers become zero (relu)"},
                     {"high", "upper bound"},
                     {"type", "i8 or u8"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_requantize
