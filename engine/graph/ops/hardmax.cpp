#include "engine/graph/shared/softmax_rows.h"

namespace tw::op_hardmax {
namespace {

using namespace ops;

/// Position of the element in its row, counted along the row's axes.
ir::Expr position(std::vector<te::Axis> const& axes, std::vector<ir::Expr> const& at,
                  std::vector<bool> const& over) {
  ir::Expr flat = ir::int_imm(0);
  for (size_t i = 0; i < axes.size(); ++i)
    if (over[i]) flat = flat * axes[i].extent + at[i];
  return flat;
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(RowSplit s, row_split(attributes, inputs[0]));
  TRY_ASSIGN(std::vector<bool> over, row_axes(attributes, s.axes.size()));
  DType type = inputs[0]->type;
  ir::Expr element = ir::load(inputs[0], s.element);
  te::Stage largest = te::reduce(name + "_max", s.rows, te::Combiner::kMax, s.over, element, name);
  int64_t count = 1;
  for (te::Axis const& axis : s.over) count *= axis.extent;
  ir::Expr smaller = element < ir::load(largest.output, s.row_vars);
  te::Stage first = te::reduce(
      name + "_first", s.rows, te::Combiner::kMin, s.over,
      ir::select(smaller, ir::int_imm(count - 1), position(s.axes, s.element, over)), name);
  std::vector<ir::Expr> at = te::vars(s.axes);
  ir::Expr chosen =
      ir::binary(ir::BinaryOp::kEq, position(s.axes, at, over), ir::load(first.output, s.row));
  te::Stage mark =
      te::compute(name, s.axes, ir::select(chosen, immediate(1, type), immediate(0, type)), name);
  return Tensors{{largest, first, mark}, {mark.output}};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(std::vector<bool> over, row_axes(attributes, x.shape().size()));
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), x.shape()));
  Shape rows = x.shape();
  for (size_t i = 0; i < rows.size(); ++i)
    if (over[i]) rows[i] = 1;
  std::vector<int64_t> best(size_t(element_count(rows).value_or(0)), -1);
  for_each_broadcast(x.shape(), {rows}, [&](int64_t i, std::span<int64_t const> at) {
    int64_t& found = best[size_t(at[0])];
    if (found < 0 || x.value_at(i) > x.value_at(found)) found = i;
  });
  for (int64_t i : best)
    if (i >= 0) out.set_value(i, 1);  // else the row has no element
  return std::vector{out};
}

/// Equal elements meet.
RandomCase random_case(Rng& rng) {
  RandomCase result = random_softmax(rng);
  for (int64_t i = 0; i < result.inputs[0].size(); ++i)
    if (rng.below(2)) result.inputs[0].set_value(i, double(rng.below(3)));
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op = of_rows({
      .name = "hardmax",
      .doc = "1 for the first of the largest elements along an axis, else 0.",
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_hardmax
