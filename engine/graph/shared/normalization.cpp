#include "engine/graph/shared/normalization.h"

#include <cmath>
#include <utility>

namespace tw::ops {

Normalized normalized(te::Buffer const& input, std::vector<bool> const& over, double epsilon,
                      std::string const& name) {
  Normalized made;
  made.axes = output_axes(shape_of(input));
  std::vector<te::Axis> rows, along;
  std::vector<ir::Expr> element, row;
  double count = 1;
  for (size_t i = 0; i < over.size(); ++i) {
    te::Axis axis = made.axes[i];
    if (over[i]) {
      axis.name = "r" + std::to_string(i);
      along.push_back(axis);
      count *= double(axis.extent);
    } else {
      rows.push_back(axis);
      row.push_back(axis.var());
    }
    element.push_back(axis.var());
  }
  if (rows.empty()) {  // one mean for everything: keep an axis for the loops to stand on
    rows.push_back({"b", 1, ""});
    row.push_back(ir::int_imm(0));
  }
  DType type = input->type;
  te::Stage sum =
      te::reduce(name + "_sum", rows, te::Combiner::kSum, along, ir::load(input, element), name);
  ir::Expr mean = ir::load(sum.output, row) * immediate(1 / count, type);
  // Squares of differences: the difference of squares would lose the digits of a small variance.
  ir::Expr difference = ir::load(input, element) - mean;
  te::Stage squares =
      te::reduce(name + "_squares", rows, te::Combiner::kSum, along, difference * difference, name);
  ir::Expr variance = ir::load(squares.output, row) * immediate(1 / count, type);
  made.value = (ir::load(input, te::vars(made.axes)) - mean) /
               ir::unary(ir::UnaryOp::kSqrt, variance + immediate(epsilon, type));
  made.stages = {sum, squares};
  return made;
}

ReferenceResult map_normalized(NDArray const& x, std::vector<bool> const& over, double epsilon,
                               std::function<double(int64_t, double)> const& f) {
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), x.shape()));
  Shape rows = x.shape();
  double count = 1;
  for (size_t i = 0; i < rows.size(); ++i)
    if (over[i]) count *= double(std::exchange(rows[i], 1));
  std::vector<double> mean(size_t(element_count(rows).value_or(0)), 0), variance(mean.size(), 0);
  auto each = [&](auto const& visit) {
    for_each_broadcast(x.shape(), {rows},
                       [&](int64_t i, std::span<int64_t const> at) { visit(i, size_t(at[0])); });
  };
  each([&](int64_t i, size_t row) { mean[row] += x.value_at(i) / count; });
  each([&](int64_t i, size_t row) {
    double difference = x.value_at(i) - mean[row];
    variance[row] += difference * difference / count;
  });
  each([&](int64_t i, size_t row) {
    out.set_value(i, f(i, (x.value_at(i) - mean[row]) / std::sqrt(variance[row] + epsilon)));
  });
  return std::vector{out};
}

}  // namespace tw::ops
