#include <fmt/format.h>

#include "engine/graph/shared/shapes.h"

namespace tw::op_flatten {
namespace {

using namespace ops;

/// Everything before `axis` and everything from it on.
Result<Shape> flat(Attributes const& attributes, Shape const& shape) {
  int64_t axis = integer(attributes, "axis", 1), rank = int64_t(shape.size());
  if (axis < -rank || axis > rank)
    return unfit(fmt::format("axis {} is out of range for a tensor of {} dimensions", axis, rank));
  if (axis < 0) axis += rank;
  TRY_ASSIGN(int64_t rows, element_count(Shape(shape.begin(), shape.begin() + axis)));
  TRY_ASSIGN(int64_t columns, element_count(Shape(shape.begin() + axis, shape.end())));
  return Shape{rows, columns};
}

RandomCase random_case(Rng& rng) {
  int64_t rank = rng.between(1, 4);
  return {{{"axis", rng.between(-rank, rank)}},
          {random_array(rng, random_shape(rng, size_t(rank), 4))}};
}

}  // namespace

Operator const& row() {
  static Operator const op = reshaping_operator<flat>({
      .name = "flatten",
      .doc = "The same elements reshaped to a matrix.",
      .attributes = {{"axis", "first axis of the columns"}},
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_flatten
