#include "engine/graph/shared/product.h"

#include <fmt/format.h>

namespace tw::ops {
namespace {

Shape leading(Shape const& shape) {
  return shape.size() < 3 ? Shape{} : Shape(shape.begin(), shape.end() - 2);
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

}  // namespace

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

Result<ProductTerms> product_terms(te::Buffer const& a, te::Buffer const& b) {
  TRY_ASSIGN(Product p, product_of(shape_of(a), shape_of(b)));
  ProductTerms terms;
  for (size_t i = 0; i < p.batch.size(); ++i)
    terms.axes.push_back({"b" + std::to_string(i), p.batch[i], "batch"});
  std::vector<ir::Expr> at_a = batch_indices(shape_of(a), terms.axes),
                        at_b = batch_indices(shape_of(b), terms.axes);
  terms.row = {"i", p.rows, "row"};
  terms.column = {"j", p.columns, "column"};
  terms.depth = {"k", p.depth, "depth"};
  if (p.has_rows) {
    terms.axes.push_back(terms.row);
    at_a.push_back(terms.row.var());
  }
  at_a.push_back(terms.depth.var());
  at_b.push_back(terms.depth.var());
  if (p.has_columns) {
    terms.axes.push_back(terms.column);
    at_b.push_back(terms.column.var());
  }
  terms.a = ir::load(a, at_a);
  terms.b = ir::load(b, at_b);
  return terms;
}

void for_each_term(Product const& p, Shape const& a, Shape const& b,
                   std::function<void(int64_t, int64_t, int64_t, int64_t, int64_t)> const& f) {
  for_each_broadcast(
      p.batch, {leading(a), leading(b)}, [&](int64_t batch, std::span<int64_t const> at) {
        int64_t from_a = at[0] * p.rows * p.depth, from_b = at[1] * p.depth * p.columns;
        for (int64_t i = 0; i < p.rows; ++i)
          for (int64_t j = 0; j < p.columns; ++j)
            for (int64_t k = 0; k < p.depth; ++k)
              f((batch * p.rows + i) * p.columns + j, from_a + i * p.depth + k,
                from_b + k * p.columns + j, i, j);
      });
}

std::pair<Shape, Shape> random_product(Rng& rng) {
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
  return {a, b};
}

}  // namespace tw::ops
