#include "engine/graph/shared/extreme_index.h"

#include <cmath>

#include "engine/tensor/integers.h"

namespace tw::ops {
namespace {

/// As a reduction along the one axis.
Result<ReducedShape> shape_along(Attributes const& attributes, Shape const& shape) {
  return reduced_shape({{"axes", std::vector<int64_t>{integer(attributes, "axis")}},
                        {"keep", integer(attributes, "keep", 1)}},
                       shape);
}

bool wants_last(Attributes const& attributes) { return integer(attributes, "last") != 0; }

InferResult infer_extreme(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(ReducedShape reduced, shape_along(attributes, inputs[0]->shape));
  if (inputs[0]->type == DType::kBool) return unsupported("the largest of bools");
  return one(DType::kI64, reduced.result);
}

RandomCase random_extreme(Rng& rng) {
  size_t rank = size_t(rng.between(1, 4));
  RandomCase result{{{"axis", rng.below(int64_t(rank)) - (rng.below(2) ? int64_t(rank) : 0)},
                     {"keep", rng.below(2)},
                     {"last", rng.below(2)}},
                    {random_array(rng, random_shape(rng, rank, 4))}};
  for (int64_t i = 0; i < result.inputs[0].size(); ++i)
    if (rng.below(2)) result.inputs[0].set_value(i, double(rng.below(2)));  // equal ones meet
  return result;
}

/// How one element stands to another. NaN is the extreme of every row, whichever way (as numpy has
/// it), and one NaN is as another.
enum class Order : uint8_t { kBelow, kSame, kAbove };

Order order_of(NDArray const& x, int64_t i, int64_t best, bool largest) {
  if (!is_float(x.type())) {
    int64_t a = integer_at(x, i), b = integer_at(x, best);
    return a == b ? Order::kSame : is_below(a, b, x.type()) ? Order::kBelow : Order::kAbove;
  }
  double a = x.value_at(i), b = x.value_at(best);
  Order first = largest ? Order::kAbove : Order::kBelow;
  Order other = largest ? Order::kBelow : Order::kAbove;
  if (std::isnan(a)) return std::isnan(b) ? Order::kSame : first;
  if (std::isnan(b)) return other;
  return a == b ? Order::kSame : a < b ? Order::kBelow : Order::kAbove;
}

}  // namespace

Result<Tensors> compute_extreme(bool largest, Attributes const& attributes, Buffers inputs,
                                std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  TRY_ASSIGN(ReducedShape reduced, shape_along(attributes, shape));
  ReducedAxes split = reduced_axes(shape, reduced);
  ir::Expr element = ir::load(inputs[0], split.element);
  te::Stage best =
      te::reduce(name + "_value", split.axes, largest ? te::Combiner::kMax : te::Combiner::kMin,
                 split.over, element, name);
  ir::Expr value = ir::load(best.output, te::vars(split.axes));
  // The best of a row with a NaN is NaN, and the place that of a NaN.
  ir::Expr worse = ir::binary(ir::BinaryOp::kNe, element, value);
  if (is_float(element.type())) {
    ir::Expr number = ir::binary(ir::BinaryOp::kEq, element, element);
    ir::Expr best_is_number = ir::binary(ir::BinaryOp::kEq, value, value);
    worse = worse && (number || best_is_number);
  }
  bool last = wants_last(attributes);
  ir::Expr nothing = ir::int_imm(last ? 0 : split.over[0].extent - 1);
  te::Stage index = te::reduce(name, split.axes, last ? te::Combiner::kMax : te::Combiner::kMin,
                               split.over, ir::select(worse, nothing, split.over[0].var()), name);
  return Tensors{{best, index}, {index.output}};
}

ReferenceResult reference_extreme(bool largest, Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(ReducedShape reduced, shape_along(attributes, x.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(DType::kI64, reduced.result));
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis"), x.shape().size()));
  int64_t stride = row_major_strides(x.shape())[size_t(axis)], extent = x.shape()[size_t(axis)];
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t start = i / stride * stride * extent + i % stride, found = 0;
    for (int64_t k = 1; k < extent; ++k) {
      Order order = order_of(x, start + k * stride, start + found * stride, largest);
      bool better = largest ? order == Order::kAbove : order == Order::kBelow;
      if (better || (wants_last(attributes) && order == Order::kSame)) found = k;
    }
    set_integer(out, i, found);
  }
  return std::vector{out};
}

Operator of_extreme(Operator op) {
  op.inputs = {"X"};
  op.attributes = {{"axis", "axis that is searched"},
                   {"keep", "1: the axis is kept with extent 1"},
                   {"last", "1: of equal elements the last is taken, else the first"}};
  op.infer = infer_extreme;
  op.random_case = random_extreme;
  return op;
}

}  // namespace tw::ops
