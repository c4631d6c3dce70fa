#include <fmt/format.h>

#include "engine/graph/shared/elements.h"

namespace tw {
namespace {

using namespace ops;

/// numpy's rule: a vector on the left is a row, on the right a column, and the made axis goes
/// again; axes before the last two are broadcast.
struct Product {
  Shape batch;
  int64_t rows, columns, depth;
  bool has_rows, has_columns;
};

Shape leading(Shape const& shape) {
  return shape.size() < 3 ? Shape{} : Shape(shape.begin(), shape.end() - 2);
}

Result<Product> product_of(Shape const& a, Shape const& b) {
  if (a.empty() || b.empty()) return unfit("a scalar is not a matrix");
  Product p;
  p.has_rows = a.size() > 1;
  p.has_columns = b.size() > 1;
  p.rows = p.has_rows ? a[a.size() - 2] : 1;
  p.columns = p.has_columns ? b.back() : 1;
  p.depth = a.back();
  if (p.depth != (p.has_columns ? b[b.size() - 2] : b[0]))
    return unfit(fmt::format("matrices {} and {} cannot be multiplied", to_text(a), to_text(b)));
  TRY_ASSIGN(p.batch, broadcast(leading(a), leading(b)));
  return p;
}

Shape result_shape(Product const& p) {
  Shape shape = p.batch;
  if (p.has_rows) shape.push_back(p.rows);
  if (p.has_columns) shape.push_back(p.columns);
  return shape;
}

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 2));
  TRY_ASSIGN(Product p, product_of(inputs[0]->shape, inputs[1]->shape));
  if (inputs[1]->type != inputs[0]->type || inputs[0]->type == DType::kBool)
    return unfit("a matrix product needs numbers of one type");
  return one(inputs[0]->type, result_shape(p));
}

/// Indices of the axes before the last two, 0 where the operand has one matrix for many.
std::vector<ir::Expr> batch_indices(Shape const& operand, std::vector<te::Axis> const& batch) {
  Shape own = leading(operand);
  std::vector<ir::Expr> indices;
  for (size_t i = 0; i < own.size(); ++i) {
    te::Axis const& axis = batch[batch.size() - own.size() + i];
    indices.push_back(own[i] == 1 && axis.extent != 1 ? ir::int_imm(0) : axis.var());
  }
  return indices;
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  Shape a = shape_of(inputs[0]), b = shape_of(inputs[1]);
  TRY_ASSIGN(Product p, product_of(a, b));
  std::vector<te::Axis> axes;
  for (size_t i = 0; i < p.batch.size(); ++i)
    axes.push_back({"b" + std::to_string(i), p.batch[i], "batch"});
  std::vector<ir::Expr> at_a = batch_indices(a, axes), at_b = batch_indices(b, axes);
  te::Axis row{"i", p.rows, "row"}, column{"j", p.columns, "column"}, depth{"k", p.depth, "depth"};
  if (p.has_rows) {
    axes.push_back(row);
    at_a.push_back(row.var());
  }
  at_a.push_back(depth.var());
  at_b.push_back(depth.var());
  if (p.has_columns) {
    axes.push_back(column);
    at_b.push_back(column.var());
  }
  return single(te::reduce(name, axes, te::Combiner::kSum, {depth},
                           ir::load(inputs[0], at_a) * ir::load(inputs[1], at_b), name));
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  NDArray const &a = inputs[0], &b = inputs[1];
  TRY_ASSIGN(Product p, product_of(a.shape(), b.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(a.type(), result_shape(p)));
  for_each_broadcast(p.batch, {leading(a.shape()), leading(b.shape())},
                     [&](int64_t batch, std::span<int64_t const> at) {
                       int64_t from_a = at[0] * p.rows * p.depth,
                               from_b = at[1] * p.depth * p.columns;
                       for (int64_t i = 0; i < p.rows; ++i)
                         for (int64_t j = 0; j < p.columns; ++j) {
                           double total = 0;
                           for (int64_t k = 0; k < p.depth; ++k)
                             total += a.value_at(from_a + i * p.depth + k) *
                                      b.value_at(from_b + k * p.columns + j);
                           out.set_value((batch * p.rows + i) * p.columns + j, total);
                         }
                     });
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  int64_t rows = rng.between(1, 5), columns = rng.between(1, 5), depth = rng.between(1, 5);
  Shape batch = random_shape(rng, size_t(rng.below(3)), 3), a = batch, b = batch;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (rng.below(4) == 0) a[i] = 1;
    if (rng.below(4) == 0) b[i] = 1;
  }
  if (!b.empty() && rng.below(3) == 0) b.clear();
  if (!a.empty() && rng.below(4) == 0) a.erase(a.begin());
  if (!a.empty() || rng.below(3) != 0) a.push_back(rows);
  a.push_back(depth);
  b.push_back(depth);
  if (b.size() > 1 || rng.below(3) != 0) b.push_back(columns);
  return {{}, {random_array(rng, a), random_array(rng, b)}};
}

}  // namespace

Operator const& op_matmul() {
  static Operator const op{
      .name = "matmul",
      .doc = "Matrix product; batches of matrices are broadcast.",
      .fusion = Fusion::kComplexOutFusable,
      .inputs = {"A", "W"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
