#include <fmt/format.h>

#include <set>

#include "engine/graph/shared/shapes.h"

namespace tw::op_unsqueeze {
namespace {

using namespace ops;

Result<Shape> widened(Attributes const& attributes, Shape const& from) {
  std::vector<int64_t> axes = integers(attributes, "axes");
  size_t rank = from.size() + axes.size();
  std::set<int64_t> fresh;
  for (int64_t axis : axes) {
    TRY_ASSIGN(int64_t place, normal_axis(axis, rank));
    if (!fresh.insert(place).second) return unfit(fmt::format("axis {} is inserted twice", axis));
  }
  Shape shape;
  auto next = from.begin();
  for (size_t i = 0; i < rank; ++i) shape.push_back(fresh.count(int64_t(i)) ? 1 : *next++);
  return shape;
}

RandomCase random_case(Rng& rng) {
  int64_t rank = rng.between(1, 3);
  std::vector<int64_t> axes{rng.between(0, rank)};
  if (rng.below(2)) axes = {-1, 0};
  return {{{"axes", axes}}, {random_array(rng, random_shape(rng, size_t(rank), 4))}};
}

}  // namespace

Operator const& row() {
  static Operator const op = reshaping_operator<widened>({
      .name = "unsqueeze",
      .doc = "The same elements with axes of extent 1 inserted.",
      .attributes = {{"axes", "positions of the new axes in the result"}},
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_unsqueeze
