#include "engine/graph/shared/pointwise.h"

#include <cmath>
#include <limits>

#include "engine/tensor/integers.h"

namespace tw::ops {

InferResult infer_same(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  return one(inputs[0]->type, inputs[0]->shape);
}

InferResult infer_float(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  if (!is_float(inputs[0]->type)) return unfit("the operand is not a tensor of floats");
  return infer_same(attributes, inputs);
}

InferResult infer_test(Attributes const& attributes, Infos inputs) {
  TRY_ASSIGN(std::vector<TensorInfo> infos, infer_float(attributes, inputs));
  return one(DType::kBool, infos[0].shape);
}

InferResult infer_many(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 1, inputs.size()));
  TRY_ASSIGN(Shape shape, broadcast_all(inputs));
  return one(inputs[0]->type, shape);
}

InferResult infer_pair(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 2));
  return infer_many(attributes, inputs);
}

InferResult infer_compare(Attributes const& attributes, Infos inputs) {
  TRY_ASSIGN(std::vector<TensorInfo> infos, infer_pair(attributes, inputs));
  return one(DType::kBool, infos[0].shape);
}

InferResult infer_logic(Attributes const& attributes, Infos inputs) {
  TRY_ASSIGN(std::vector<TensorInfo> infos, infer_pair(attributes, inputs));
  if (infos[0].type != DType::kBool) return unfit("the operands are not tensors of bools");
  return infos;
}

Tensors map_compute(Buffers inputs, std::string const& name,
                    std::function<ir::Expr(ir::Expr)> const& f) {
  std::vector<te::Axis> axes = output_axes(shape_of(inputs[0]));
  return single(te::compute(name, axes, f(ir::load(inputs[0], te::vars(axes))), name));
}

Tensors join_compute(Buffers inputs, std::string const& name,
                     std::function<ir::Expr(ir::Expr, ir::Expr)> const& f) {
  Shape shape;
  for (te::Buffer const& input : inputs) shape = broadcast(shape, shape_of(input)).value();
  std::vector<te::Axis> axes = output_axes(shape);
  ir::Expr body = load_broadcast(inputs[0], axes);
  for (te::Buffer const& input : inputs.subspan(1)) body = f(body, load_broadcast(input, axes));
  return single(te::compute(name, axes, body, name));
}

namespace {

ReferenceResult zip_integers(NDArray const& a, NDArray const& b, JoinIntegers const& f) {
  TRY_ASSIGN(Shape shape, broadcast(a.shape(), b.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(a.type(), shape));
  for_each_broadcast(shape, {a.shape(), b.shape()}, [&](int64_t i, std::span<int64_t const> at) {
    set_integer(out, i, f(integer_at(a, at[0]), integer_at(b, at[1]), a.type()));
  });
  return std::vector{out};
}

}  // namespace

ReferenceResult join_elements(Arrays inputs, std::function<double(double, double)> const& f,
                              JoinIntegers const& whole) {
  NDArray total = inputs[0];
  bool by_integers = whole && is_integer(total.type());
  for (NDArray const& input : inputs.subspan(1)) {
    TRY_ASSIGN(std::vector<NDArray> joined,
               by_integers ? zip_integers(total, input, whole) : zip_elements(total, input, f));
    total = joined[0];
  }
  return std::vector{total};
}

ReferenceResult map_integers(NDArray const& input,
                             std::function<int64_t(int64_t, DType)> const& f) {
  TRY_ASSIGN(NDArray out, NDArray::create(input.type(), input.shape()));
  for (int64_t i = 0; i < out.size(); ++i)
    set_integer(out, i, f(integer_at(input, i), input.type()));
  return std::vector{out};
}

ReferenceResult test_elements(NDArray const& input, std::function<bool(double)> const& f) {
  TRY_ASSIGN(NDArray out, NDArray::create(DType::kBool, input.shape()));
  for (int64_t i = 0; i < input.size(); ++i) out.set_value(i, f(input.value_at(i)));
  return std::vector{out};
}

ReferenceResult compare_elements(Arrays inputs, std::function<bool(double, double)> const& f) {
  NDArray const &a = inputs[0], &b = inputs[1];
  TRY_ASSIGN(Shape shape, broadcast(a.shape(), b.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(DType::kBool, shape));
  bool integers = is_integer(a.type());
  auto order = [&](int64_t x, int64_t y) {
    return double(is_below(y, x, a.type())) - double(is_below(x, y, a.type()));
  };
  for_each_broadcast(shape, {a.shape(), b.shape()}, [&](int64_t i, std::span<int64_t const> at) {
    bool holds = integers ? f(order(integer_at(a, at[0]), integer_at(b, at[1])), 0)
                          : f(a.value_at(at[0]), b.value_at(at[1]));
    out.set_value(i, holds ? 1 : 0);
  });
  return std::vector{out};
}

/// Kahan: what 1 + x rounds away of x is as large a part of x as of the logarithm.
ir::Expr log_of_one_plus(ir::Expr x) {
  constexpr double kFar = 1e17;  // 1 + x is x
  ir::Expr one = immediate(1, x.type()), sum = one + x;
  ir::Expr log = ir::unary(ir::UnaryOp::kLog, sum);
  ir::Expr near = ir::select(ir::binary(ir::BinaryOp::kEq, sum, one), x, log * (x / (sum - one)));
  return ir::select(x < immediate(kFar, x.type()), near, log);
}

RandomCase random_one(Rng& rng) {
  return {{}, {random_array(rng, random_shape(rng, size_t(rng.between(1, 5)), 4))}};
}

RandomCase random_special(Rng& rng) {
  constexpr double kSpecial[] = {std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()};
  RandomCase result = random_one(rng);
  for (int64_t i = 0; i < result.inputs[0].size(); ++i)
    if (rng.below(2)) result.inputs[0].set_value(i, kSpecial[rng.below(3)]);
  return result;
}

RandomCase random_positive(Rng& rng) {
  RandomCase result = random_one(rng);
  for (int64_t i = 0; i < result.inputs[0].size(); ++i)
    result.inputs[0].set_value(i, std::abs(result.inputs[0].value_at(i)) + 0.01);
  return result;
}

namespace {

RandomCase random_shapes(Rng& rng, DType type) {
  Shape a = random_shape(rng, size_t(rng.between(1, 4)), 4), b = a;
  for (size_t i = 0; i < a.size(); ++i) {
    if (rng.below(4) == 0) a[i] = 1;
    if (rng.below(4) == 0) b[i] = 1;
  }
  b.erase(b.begin(), b.begin() + rng.below(int64_t(b.size())));
  return {{}, {random_array(rng, a, type), random_array(rng, b, type)}};
}

}  // namespace

RandomCase random_pair(Rng& rng) { return random_shapes(rng, DType::kF32); }

RandomCase random_integer_pair(Rng& rng) { return random_shapes(rng, DType::kI32); }

void add_extremes(Rng& rng, std::vector<NDArray>& inputs) {
  for (size_t k = 0; k < inputs.size(); ++k) {
    DType type = inputs[k].type();
    double low = double(ir::as_int(ir::lowest(type)).value_or(0));
    double high = double(ir::as_int(ir::highest(type)).value_or(0));
    double const values[] = {low, high, 1, is_signed(type) ? -1.0 : 2.0};
    for (int64_t i = 0; i < inputs[k].size(); ++i)
      if (rng.below(4) == 0) inputs[k].set_value(i, values[rng.below(4)]);
  }
}

RandomCase random_logic(Rng& rng) {
  RandomCase result = random_shapes(rng, DType::kBool);
  for (NDArray& input : result.inputs)
    for (int64_t i = 0; i < input.size(); ++i) input.set_value(i, double(rng.below(2)));
  return result;
}

RandomCase random_many(Rng& rng) {
  Shape shape = random_shape(rng, size_t(rng.between(1, 4)), 4);
  RandomCase result;
  for (int64_t i = rng.between(1, 4); i > 0; --i) {
    Shape narrow = shape;
    if (rng.below(3) == 0) narrow[0] = 1;
    result.inputs.push_back(random_array(rng, narrow));
  }
  return result;
}

}  // namespace tw::ops
