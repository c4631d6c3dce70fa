#include "engine/graph/shared/quantized.h"

#include <fmt/format.h>

namespace tw::ops {
namespace {

Result<size_t> axis_of(Attributes const& attributes, Shape const& shape) {
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis", 1), shape.size()));
  return size_t(axis);
}

bool is_single(Shape const& shape) { return shape.empty() || shape == Shape{1}; }

}  // namespace

bool is_byte(DType type) { return type == DType::kI8 || type == DType::kU8; }

Status check_scales(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 3));
  Shape const &x = inputs[0]->shape, &scale = inputs[1]->shape;
  if (inputs.size() > 2 && inputs[2] && inputs[2]->shape != scale &&
      !(is_single(inputs[2]->shape) && is_single(scale)))
    return unfit(fmt::format("a zero point of shape {} for scales of shape {}",
                             to_text(inputs[2]->shape), to_text(scale)));
  if (is_single(scale)) return {};
  TRY_ASSIGN(size_t axis, axis_of(attributes, x));
  if (scale == Shape{x[axis]}) return {};
  return unfit(fmt::format("scales of shape {} along axis {} of a tensor of shape {}",
                           to_text(scale), axis, to_text(x)));
}

ir::Expr load_along(te::Buffer const& operand, Attributes const& attributes,
                    std::vector<te::Axis> const& axes) {
  Shape shape = shape_of(operand);
  if (shape.empty()) return ir::load(operand, {});
  if (is_single(shape)) return ir::load(operand, {ir::int_imm(0)});
  int64_t axis = integer(attributes, "axis", 1);
  return ir::load(operand, {axes[size_t(axis < 0 ? axis + int64_t(axes.size()) : axis)].var()});
}

void for_each_scaled(Attributes const& attributes, NDArray const& x, NDArray const& scale,
                     std::function<void(int64_t, int64_t)> const& f) {
  int64_t inner = std::max<int64_t>(1, x.size());
  if (!is_single(scale.shape())) {
    size_t axis = axis_of(attributes, x.shape()).value();
    inner = row_major_strides(x.shape())[axis];
  }
  for (int64_t i = 0; i < x.size(); ++i) f(i, i / inner % scale.size());
}

NDArray random_bytes(Rng& rng, Shape const& shape, DType type) {
  NDArray array = NDArray::create(type, shape).value();
  int64_t low = type == DType::kI8 ? -128 : 0;
  for (int64_t i = 0; i < array.size(); ++i)
    array.set_value(i, double(rng.between(low, low + 255)));
  return array;
}

void add_random_scales(Rng& rng, RandomCase& c, DType type) {
  Shape const x = c.inputs[0].shape();
  Shape shape;
  if (rng.below(2)) {
    int64_t axis = rng.below(int64_t(x.size()));
    shape = {x[size_t(axis)]};
    c.attributes["axis"] = rng.below(2) ? axis : axis - int64_t(x.size());
  } else if (rng.below(2)) {
    shape = {1};
  }
  c.inputs.push_back(NDArray::create(DType::kF32, shape).value());
  for (int64_t i = 0; i < c.inputs[1].size(); ++i)  // powers of two meet halves
    c.inputs[1].set_value(i, rng.below(2) ? 0.25 : 0.05 + rng.uniform());
  if (rng.below(2)) c.inputs.push_back(random_bytes(rng, shape, type));
}

}  // namespace tw::ops
