#include <fmt/format.h>

#include <set>

#include "engine/graph/shared/shapes.h"

namespace tw::op_squeeze {
namespace {

using namespace ops;

Result<Shape> narrowed(Attributes const& attributes, Shape const& from) {
  std::set<int64_t> gone;
  for (int64_t axis : integers(attributes, "axes")) {
    TRY_ASSIGN(int64_t place, normal_axis(axis, from.size()));
    if (from[size_t(place)] != 1)
      return unfit(
          fmt::format("axis {} of a tensor of shape {} cannot be removed: its extent is {}", axis,
                      to_text(from), from[size_t(place)]));
    gone.insert(place);
  }
  bool all = !has(attributes, "axes");
  Shape shape;
  for (size_t i = 0; i < from.size(); ++i)
    if (all ? from[i] != 1 : !gone.count(int64_t(i))) shape.push_back(from[i]);
  return shape;
}

RandomCase random_case(Rng& rng) {
  Shape shape = random_shape(rng, size_t(rng.between(1, 4)), 4);
  std::vector<int64_t> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (rng.below(2)) continue;
    shape[i] = 1;
    axes.push_back(int64_t(i) - (rng.below(2) ? int64_t(shape.size()) : 0));
  }
  shape.push_back(rng.between(2, 4));  // the result keeps an axis
  for (int64_t& axis : axes)
    if (axis < 0) --axis;
  RandomCase result{{}, {random_array(rng, shape)}};
  if (rng.below(3)) result.attributes["axes"] = axes;
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op = reshaping_operator<narrowed>({
      .name = "squeeze",
      .doc = "The same elements without axes of extent 1.",
      .attributes = {{"axes", "the axes to remove; absent: all of extent 1"}},
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_squeeze
