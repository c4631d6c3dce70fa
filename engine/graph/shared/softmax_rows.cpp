#include "engine/graph/shared/softmax_rows.h"

#include <cmath>
#include <limits>

namespace tw::ops {

Result<std::vector<bool>> row_axes(Attributes const& attributes, size_t rank) {
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis", -1), rank));
  std::vector<bool> result(rank, false);
  bool to_end = integer(attributes, "to_end") != 0;
  for (size_t i = size_t(axis); i < (to_end ? rank : size_t(axis) + 1); ++i) result[i] = true;
  return result;
}

Result<RowSplit> row_split(Attributes const& attributes, te::Buffer const& input) {
  RowSplit result;
  result.axes = output_axes(shape_of(input));
  TRY_ASSIGN(std::vector<bool> over, row_axes(attributes, result.axes.size()));
  for (size_t i = 0; i < result.axes.size(); ++i) {
    te::Axis axis = result.axes[i];
    if (over[i]) {
      axis.name = "r" + std::to_string(i);
      result.over.push_back(axis);
    } else {
      result.rows.push_back(axis);
      result.row.push_back(axis.var());
    }
    result.element.push_back(axis.var());
  }
  if (result.rows.empty()) {  // everything is one row: keep an axis for the loops to stand on
    result.rows.push_back({"b", 1, ""});
    result.row.push_back(ir::int_imm(0));
  }
  result.row_vars = te::vars(result.rows);
  return result;
}

Result<SoftmaxStages> softmax_stages(Attributes const& attributes, te::Buffer const& input,
                                     std::string const& name) {
  SoftmaxStages made;
  TRY_ASSIGN(RowSplit s, row_split(attributes, input));
  made.axes = s.axes;
  made.row = s.row;
  made.largest = te::reduce(name + "_max", s.rows, te::Combiner::kMax, s.over,
                            ir::load(input, s.element), name);
  made.shifted = ir::load(input, te::vars(made.axes)) - ir::load(made.largest.output, s.row);
  made.powers =
      te::compute(name + "_exp", made.axes, ir::unary(ir::UnaryOp::kExp, made.shifted), "exp");
  made.total = te::reduce(name + "_sum", s.rows, te::Combiner::kSum, s.over,
                          ir::load(made.powers.output, s.element), name);
  return made;
}

ReferenceResult map_rows(NDArray const& x, std::vector<bool> const& over,
                         double (*f)(double shifted, double total)) {
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), x.shape()));
  Shape rows = x.shape();
  for (size_t i = 0; i < rows.size(); ++i)
    if (over[i]) rows[i] = 1;
  std::vector<double> largest(size_t(element_count(rows).value_or(0)),
                              -std::numeric_limits<double>::infinity());
  std::vector<double> total(largest.size(), 0);
  auto each = [&](auto const& visit) {
    for_each_broadcast(x.shape(), {rows},
                       [&](int64_t i, std::span<int64_t const> at) { visit(i, size_t(at[0])); });
  };
  each([&](int64_t i, size_t row) { largest[row] = std::max(largest[row], x.value_at(i)); });
  each([&](int64_t i, size_t row) { total[row] += std::exp(x.value_at(i) - largest[row]); });
  each([&](int64_t i, size_t row) {
    out.set_value(i, f(x.value_at(i) - largest[row], total[row]));
  });
  return std::vector{out};
}

RandomCase random_softmax(Rng& rng) {
  size_t rank = size_t(rng.between(1, 4));
  RandomCase result{{{"axis", rng.below(int64_t(rank))}},
                    {random_array(rng, random_shape(rng, rank, 5))}};
  if (rng.below(2)) result.attributes["to_end"] = int64_t(1);
  return result;
}

namespace {

InferResult infer_softmax(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY(row_axes(attributes, inputs[0]->shape.size()));
  if (!is_float(inputs[0]->type)) return unfit("softmax needs floats");
  return one(inputs[0]->type, inputs[0]->shape);
}

}  // namespace

Operator of_rows(Operator op) {
  op.inputs = {"X"};
  op.attributes = {{"axis", "axis of the sum"},
                   {"to_end", "1: the sum runs over all axes from `axis` on"}};
  op.infer = infer_softmax;
  if (op.random_case == nullptr) op.random_case = random_softmax;
  return op;
}

}  // namespace tw::ops
