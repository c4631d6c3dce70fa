#include "engine/graph/shared/elements.h"

#include <fmt/format.h>

#include "engine/tensor/integers.h"

namespace tw::ops {

std::unexpected<Error> unfit(std::string message) {
  return bad_input("wrong_shapes", std::move(message));
}

std::unexpected<Error> unsupported(std::string message) {
  return bad_input("unsupported", std::move(message));
}

Status expect_inputs(Infos inputs, size_t least, size_t most) {
  size_t count = inputs.size();
  while (count > 0 && !inputs[count - 1]) --count;
  if (count > most)
    return unfit(fmt::format("{} operands, but at most {} are supported", count, most));
  for (size_t i = 0; i < least; ++i)
    if (i >= count || !inputs[i]) return unfit(fmt::format("operand {} is missing", i + 1));
  return {};
}

std::vector<TensorInfo> one(DType type, Shape shape) {
  return {TensorInfo{type, std::move(shape), {}}};
}

Result<int64_t> normal_axis(int64_t axis, size_t rank) {
  int64_t size = int64_t(rank);
  if (axis < -size || axis >= size)
    return unfit(fmt::format("axis {} is out of range for a tensor of {} dimensions", axis, rank));
  return axis < 0 ? axis + size : axis;
}

Result<Shape> broadcast(Shape const& a, Shape const& b) {
  Shape out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return unfit(fmt::format("shapes {} and {} do not broadcast", to_text(a), to_text(b)));
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

Result<Shape> broadcast_all(Infos inputs) {
  Shape out;
  DType type = inputs[0]->type;
  for (TensorInfo const* input : inputs) {
    if (!input) return unfit("an operand before the last one is missing");
    if (input->type != type)
      return unfit(fmt::format("operands of types {} and {}", to_text(type), to_text(input->type)));
    TRY_ASSIGN(out, broadcast(out, input->shape));
  }
  return out;
}

std::vector<int64_t> row_major_strides(Shape const& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i > 0; --i) {
    strides[i - 1] = step;
    step *= shape[i - 1];
  }
  return strides;
}

void for_each_broadcast(Shape const& out, std::vector<Shape> const& operands,
                        std::function<void(int64_t, std::span<int64_t const>)> const& f) {
  size_t rank = out.size();
  std::vector<std::vector<int64_t>> steps;
  for (Shape const& operand : operands) {
    std::vector<int64_t> strides = row_major_strides(operand), step(rank, 0);
    for (size_t i = 0; i < operand.size(); ++i)
      if (operand[i] != 1) step[rank - operand.size() + i] = strides[i];
    steps.push_back(std::move(step));
  }
  int64_t count = element_count(out).value_or(0);
  std::vector<int64_t> at(rank, 0), flat(operands.size(), 0);
  for (int64_t index = 0; index < count; ++index) {
    f(index, flat);
    for (size_t i = rank; i > 0; --i) {  // the odometer: the last axis turns fastest
      for (size_t k = 0; k < flat.size(); ++k) flat[k] += steps[k][i - 1];
      if (++at[i - 1] < out[i - 1]) break;
      for (size_t k = 0; k < flat.size(); ++k) flat[k] -= steps[k][i - 1] * out[i - 1];
      at[i - 1] = 0;
    }
  }
}

ReferenceResult map_elements(NDArray const& input, std::function<double(double)> const& f) {
  TRY_ASSIGN(NDArray out, NDArray::create(input.type(), input.shape()));
  for (int64_t i = 0; i < out.size(); ++i) out.set_value(i, f(input.value_at(i)));
  return std::vector{out};
}

ReferenceResult zip_elements(NDArray const& a, NDArray const& b,
                             std::function<double(double, double)> const& f) {
  TRY_ASSIGN(Shape shape, broadcast(a.shape(), b.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(a.type(), shape));
  for_each_broadcast(shape, {a.shape(), b.shape()}, [&](int64_t i, std::span<int64_t const> at) {
    out.set_value(i, f(a.value_at(at[0]), b.value_at(at[1])));
  });
  return std::vector{out};
}

Shape shape_of(te::Buffer const& buffer) {
  auto shape = ir::constant_shape(*buffer);
  TW_ASSERT(shape, "kernels are compiled for known shapes");
  return *shape;
}

std::vector<te::Axis> output_axes(Shape const& shape) {
  static std::vector<std::string> const names{"n", "c", "z", "y", "x"};
  static std::vector<std::string> const roles{"batch", "channel", "depth", "height", "width"};
  std::vector<te::Axis> axes;
  size_t rank = shape.size();
  for (size_t i = 0; i < rank; ++i) {
    bool named = rank <= names.size();
    size_t k = i < 2 ? i : i + names.size() - rank;
    axes.push_back({named ? names[k] : "i" + std::to_string(i), shape[i], named ? roles[k] : ""});
  }
  return axes;
}

ir::Expr load_broadcast(te::Buffer const& buffer, std::vector<te::Axis> const& axes) {
  Shape shape = shape_of(buffer);
  std::vector<ir::Expr> indices;
  for (size_t i = 0; i < shape.size(); ++i) {
    te::Axis const& axis = axes[axes.size() - shape.size() + i];
    indices.push_back(shape[i] == 1 && axis.extent != 1 ? ir::int_imm(0) : axis.var());
  }
  return ir::load(buffer, indices);
}

ir::Expr immediate(double value, DType type) {
  if (is_float(type)) return ir::float_imm(value, type);
  NDArray element = NDArray::create(type, {}).value();  // converts as every tensor does
  element.set_value(0, value);
  return ir::int_imm(integer_at(element, 0), type);
}

Tensors single(te::Stage stage) {
  Tensors tensors;
  tensors.outputs = {stage.output};
  tensors.stages.push_back(std::move(stage));
  return tensors;
}

Tensors reshape_compute(te::Buffer const& input, Shape const& shape, std::string const& name,
                        std::string const& op) {
  std::vector<te::Axis> axes = output_axes(shape);
  std::vector<int64_t> strides = row_major_strides(shape);
  ir::Expr flat = ir::int_imm(0);
  for (size_t i = 0; i < axes.size(); ++i)
    if (shape[i] != 1) flat = flat + axes[i].var() * strides[i];
  Shape from = shape_of(input);
  std::vector<int64_t> steps = row_major_strides(from);
  std::vector<ir::Expr> indices;
  for (size_t i = 0; i < from.size(); ++i) {
    ir::Expr index = from[i] == 1 ? ir::int_imm(0) : ir::floor_div(flat, ir::int_imm(steps[i]));
    if (i > 0 && from[i] != 1) index = ir::floor_mod(index, ir::int_imm(from[i]));
    indices.push_back(index);
  }
  return single(te::compute(name, std::move(axes), ir::load(input, indices), op));
}

Shape random_shape(Rng& rng, size_t rank, int64_t most) {
  Shape shape(rank);
  for (int64_t& extent : shape) extent = rng.between(1, most);
  return shape;
}

NDArray random_array(Rng& rng, Shape const& shape, DType type) {
  NDArray array = NDArray::create(type, shape).value();
  for (int64_t i = 0; i < array.size(); ++i)
    array.set_value(i, is_float(type) ? rng.normal() : double(rng.between(-20, 20)));
  return array;
}

}  // namespace tw::ops
