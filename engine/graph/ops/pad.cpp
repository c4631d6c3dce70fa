#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/shared/moves.h"

namespace tw::op_pad {
namespace {

using namespace ops;

/// Per axis, how many elements are put before and after; negative: cut off.
struct Border {
  std::vector<int64_t> before, after;

  /// What is cut off is gone before anything is repeated.
  int64_t cut(size_t i) const { return std::max<int64_t>(0, -before[i]); }
  int64_t left(size_t i, int64_t extent) const {
    return extent - cut(i) - std::max<int64_t>(0, -after[i]);
  }
};

Result<Border> border_of(Attributes const& attributes, Shape const& shape) {
  std::vector<int64_t> pads = integers(attributes, "pads");
  size_t rank = shape.size();
  if (pads.size() != 2 * rank)
    return unfit(fmt::format("{} padding values for a tensor of {} dimensions", pads.size(), rank));
  bool fills = text(attributes, "mode") == "constant";
  Border border{{pads.begin(), pads.begin() + int64_t(rank)},
                {pads.begin() + int64_t(rank), pads.end()}};
  for (size_t i = 0; i < rank; ++i)
    if (!fills && border.left(i, shape[i]) < 1 && (pads[i] > 0 || pads[i + rank] > 0))
      return unfit(fmt::format("axis {} has no element to repeat", i));
  return border;
}

Result<Shape> padded(Border const& border, Shape shape) {
  for (size_t i = 0; i < shape.size(); ++i)
    if (__builtin_add_overflow(shape[i], border.before[i], &shape[i]) ||
        __builtin_add_overflow(shape[i], border.after[i], &shape[i]) || shape[i] < 0)
      return unfit(
          fmt::format("paddings {} and {} of axis {}", border.before[i], border.after[i], i));
  TRY(element_count(shape));
  return shape;
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 2));
  bool has_fill = inputs.size() > 1 && inputs[1];
  if (has_fill &&
      (inputs[1]->type != inputs[0]->type || element_count(inputs[1]->shape).value_or(0) != 1))
    return unfit(fmt::format("a fill value of shape {} and type {}", to_text(inputs[1]->shape),
                             to_text(inputs[1]->type)));
  TRY_ASSIGN(Border border, border_of(attributes, inputs[0]->shape));
  TRY_ASSIGN(Shape shape, padded(border, inputs[0]->shape));
  return one(inputs[0]->type, shape);
}

/// Index of the element that stands at `at` - before, for modes that repeat the tensor's own.
ir::Expr repeated(std::string const& mode, ir::Expr at, int64_t before, int64_t after,
                  int64_t extent) {
  ir::Expr place = at - before;
  if (before <= 0 && after <= 0) return place;
  if (mode == "edge") return ir::min(ir::max(place, ir::int_imm(0)), ir::int_imm(extent - 1));
  if (mode == "wrap") return ir::floor_mod(place, ir::int_imm(extent));
  int64_t period = std::max<int64_t>(1, 2 * (extent - 1));
  if (before >= extent || after >= extent) {  // the walk turns around more than once
    ir::Expr phase = ir::floor_mod(place, ir::int_imm(period));
    return ir::min(phase, ir::floor_mod(ir::int_imm(period) - phase, ir::int_imm(period)));
  }
  if (before > 0) place = ir::max(place, ir::int_imm(before) - at);
  return after > 0 ? ir::min(place, ir::int_imm(period) - place) : place;
}

ir::Expr fill_value(Attributes const& attributes, Buffers inputs) {
  if (inputs.size() > 1 && inputs[1])
    return ir::load(inputs[1], std::vector<ir::Expr>(inputs[1]->shape.size(), ir::int_imm(0)));
  return immediate(number(attributes, "value"), inputs[0]->type);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape from = shape_of(inputs[0]);
  TRY_ASSIGN(Border border, border_of(attributes, from));
  TRY_ASSIGN(Shape shape, padded(border, from));
  std::vector<te::Axis> axes = output_axes(shape);
  std::string mode = text(attributes, "mode");
  std::vector<ir::Expr> indices;
  ir::Expr inside;
  auto require = [&](ir::Expr condition) { inside = inside ? inside && condition : condition; };
  for (size_t i = 0; i < axes.size(); ++i) {
    ir::Expr at = axes[i].var();
    int64_t before = border.before[i], after = border.after[i];
    indices.push_back(mode == "constant"
                          ? at - before
                          : repeated(mode, at, std::max<int64_t>(0, before),
                                     std::max<int64_t>(0, after), border.left(i, from[i])) +
                                border.cut(i));
    if (mode == "constant" && before > 0) require(before <= at);
    if (mode == "constant" && after > 0) require(at < before + from[i]);
  }
  ir::Expr body = ir::load(inputs[0], indices);
  if (inside) body = ir::select(inside, body, fill_value(attributes, inputs));
  return single(te::compute(name, std::move(axes), body, name));
}

/// The element of an axis at a place that may be outside; -1: the fill. Step by step.
int64_t walk(std::string const& mode, int64_t place, int64_t extent) {
  while (place < 0 || place >= extent) {
    if (mode == "constant") return -1;
    if (mode == "edge") return place < 0 ? 0 : extent - 1;
    if (mode == "wrap")
      place += place < 0 ? extent : -extent;
    else if (extent == 1)
      return 0;
    else
      place = place < 0 ? -place : 2 * (extent - 1) - place;
  }
  return place;
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  Shape const& from = inputs[0].shape();
  TRY_ASSIGN(Border border, border_of(attributes, from));
  TRY_ASSIGN(Shape shape, padded(border, from));
  std::vector<int64_t> strides = row_major_strides(from);
  std::string mode = text(attributes, "mode");
  bool has_fill = inputs.size() > 1 && !inputs[1].empty();
  TRY_ASSIGN(NDArray fill, NDArray::create(inputs[0].type(), {}));
  fill.set_value(0, number(attributes, "value"));
  if (has_fill) fill = inputs[1];
  auto source = [&](std::span<int64_t const> at) {
    int64_t flat = 0;
    for (size_t i = 0; i < at.size(); ++i) {
      int64_t place = at[i] - border.before[i], cut = mode == "constant" ? 0 : border.cut(i);
      int64_t extent = mode == "constant" ? from[i] : border.left(i, from[i]);
      int64_t index = walk(mode, place - cut, extent);
      if (index >= 0) index += cut;
      if (index < 0) return int64_t(-1);
      flat += index * strides[i];
    }
    return flat;
  };
  return move_elements(inputs[0], shape, source, fill);
}

RandomCase random_case(Rng& rng) {
  char const* const modes[] = {"constant", "reflect", "edge", "wrap"};
  std::string mode = modes[rng.below(4)];
  Shape shape = random_shape(rng, size_t(rng.between(1, 4)), 4);
  std::vector<int64_t> pads;
  for (size_t i = 0; i < 2 * shape.size(); ++i) {
    int64_t extent = shape[i % shape.size()];
    pads.push_back(rng.below(3) == 0 ? 0 : rng.between(extent > 2 ? -1 : 0, 5));
    if (extent > 2 && rng.below(4) == 0) pads.back() = -1;
  }
  RandomCase result{{{"mode", mode}, {"pads", pads}}, {random_array(rng, shape)}};
  if (mode == "constant" && rng.below(2)) result.attributes["value"] = rng.normal();
  if (mode == "constant" && rng.below(3) == 0) result.inputs.push_back(random_array(rng, {}));
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "pad",
      .doc = "The tensor with elements added at its borders, or removed.",
      .fusion = Fusion::kInjective,
      .inputs = {"X", "fill"},
      .attributes = {{"mode", "constant, reflect (about the border), edge or wrap"},
                     {"pads",
                      "elements added before each axis, then after each; negative: removed"},
                     {"value", "the fill value, if it is not an operand"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_pad
