#include <fmt/format.h>

#include "engine/graph/computes.h"
#include "engine/graph/kernel_apart.h"
#include "engine/graph/shared/quantized.h"

namespace tw::op_widen {
namespace {

using namespace ops;

Status check(Attributes const& attributes, DType type) {
  int64_t shift = integer(attributes, "shift");
  if (shift < 0 || shift > 31) return unfit(fmt::format("a shift by {} places", shift));
  if (is_byte(type) || type == DType::kI32) return {};
  return unfit("bytes or sums in i32 are widened");
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY(check(attributes, inputs[0]->type));
  return one(DType::kI32, inputs[0]->shape);
}

Status takes_one_layout(Attributes const&, Arrangement const& arrangement) {
  if (arrangement.input(0) == arrangement.output(0)) return {};
  return not_taken(fmt::format("widen is element-wise: its operand has layout {}, its result {}",
                               to_text(arrangement.input(0)), to_text(arrangement.output(0))));
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  int64_t shift = integer(attributes, "shift");
  std::vector<te::Axis> axes = output_axes(shape_of(inputs[0]));
  ir::Expr wide = ir::cast(DType::kI32, ir::load(inputs[0], te::vars(axes)));
  if (shift == 0) return single(te::compute(name, axes, wide, name));
  Tensors tensors;
  if (inputs[0]->type != DType::kI32) {
    tensors.stages.push_back(te::compute(name + "_wide", axes, wide, "cast"));
    wide = ir::load(tensors.stages.back().output, te::vars(axes));
  }
  ir::Expr moved = ir::binary(ir::BinaryOp::kShiftLeft, wide, ir::int_imm(shift, DType::kI32));
  tensors.stages.push_back(te::compute(name, axes, moved, name));
  tensors.outputs = {tensors.stages.back().output};
  return tensors;
}

Result<Tensors> make(Attributes const& attributes, Arrangement const&, Buffers inputs,
                     std::string const& name) {
  return compute(attributes, inputs, name);
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(NDArray out, NDArray::create(DType::kI32, inputs[0].shape()));
  int64_t shift = integer(attributes, "shift");
  for (int64_t i = 0; i < out.size(); ++i)
    out.as<int32_t>()[size_t(i)] =
        int32_t(uint32_t(int32_t(inputs[0].value_at(i))) << uint32_t(shift));
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  constexpr DType kTypes[] = {DType::kI8, DType::kU8, DType::kI32};
  Shape shape = random_shape(rng, size_t(rng.between(1, 5)), 4);
  RandomCase result{{{"shift", rng.below(26)}}, {}};
  DType type = kTypes[rng.below(3)];
  result.inputs = {type == DType::kI32 ? random_array(rng, shape, type)
                                       : random_bytes(rng, shape, type)};
  add_extremes(rng, result.inputs);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "widen",
      .doc =
          "Bytes, or sums, in i32 with a scale that is 2^shift times as fine: shifted to the "
          "left.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .attributes = {{"shift", "places, 0 to 31"}},
      .infer = infer,
      .computes = {{.name = "direct",
                    .doc = "each element, wherever it is read",
                    .takes = takes_one_layout,
                    .make = make},
                   {.name = kAlone,
                    .doc = "the same in a kernel of its own, for a reader that cannot widen bytes",
                    .takes = takes_one_layout,
                    .make = make}},
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_widen
