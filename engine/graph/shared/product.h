/// What products of matrices share, whatever their elements are.
#pragma once

#include "engine/graph/shared/elements.h"

namespace tw::ops {

/// numpy's rule: a vector on the left is a row, on the right a column, and the made axis goes
/// again; axes before the last two are broadcast.
struct Product {
  Shape batch;
  int64_t rows, columns, depth;
  bool has_rows, has_columns;
};
/// Errors: wrong_shapes.
Result<Product> product_of(Shape const& a, Shape const& b);
Shape result_shape(Product const& product);

/// The elements that are multiplied: axes "b0", ..., "i", "j" of the result, "k" is summed over.
struct ProductTerms {
  std::vector<te::Axis> axes;
  te::Axis row, column, depth;
  ir::Expr a, b;  ///< loads
};
Result<ProductTerms> product_terms(te::Buffer const& a, te::Buffer const& b);

/// Calls `f(flat index in the result, in a, in b, row, column)` for every product that is summed.
void for_each_term(Product const& product, Shape const& a, Shape const& b,
                   std::function<void(int64_t, int64_t, int64_t, int64_t, int64_t)> const& f);
/// Shapes of two operands that can be multiplied.
std::pair<Shape, Shape> random_product(Rng& rng);

}  // namespace tw::ops
