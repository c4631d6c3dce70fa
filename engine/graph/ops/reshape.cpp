#include <fmt/format.h>

#include "engine/graph/shared/shapes.h"

namespace tw::op_reshape {
namespace {

using namespace ops;

/// The wanted shape with 0 (the input's extent) and -1 (what is left) filled in.
Result<Shape> resolve(Attributes const& attributes, Shape const& from) {
  Shape shape = integers(attributes, "shape");
  bool zero_is_zero = integer(attributes, "allow_zero") != 0;
  int64_t hole = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !zero_is_zero) {
      if (i >= from.size())
        return unfit(fmt::format(
            "extent {} of the new shape should be copied, but the tensor has {} dimensions", i,
            from.size()));
      shape[i] = from[i];
    }
    if (shape[i] < -1 || (shape[i] == -1 && hole >= 0))
      return unfit("the new shape has more than one unknown extent");
    if (shape[i] == -1) hole = int64_t(i);
  }
  TRY_ASSIGN(int64_t have, element_count(from));
  if (hole >= 0) {
    shape[size_t(hole)] = 1;
    TRY_ASSIGN(int64_t rest, element_count(shape));
    shape[size_t(hole)] = rest == 0 ? 0 : have / rest;
  }
  TRY_ASSIGN(int64_t want, element_count(shape));
  if (want != have)
    return unfit(fmt::format("a tensor of shape {} cannot be reshaped to {}", to_text(from),
                             to_text(shape)));
  return shape;
}

RandomCase random_case(Rng& rng) {
  Shape from = random_shape(rng, size_t(rng.between(1, 4)), 4), to;
  int64_t count = element_count(from).value();
  for (int i = 0; i < 3; ++i) {  // random divisors, the rest in the hole
    int64_t extent = rng.between(1, 4);
    if (count % extent != 0) extent = 1;
    count /= extent;
    to.push_back(extent);
  }
  to.insert(to.begin() + rng.below(4), rng.below(2) ? -1 : count);
  return {{{"shape", to}}, {random_array(rng, from)}};
}

}  // namespace

Operator const& row() {
  static Operator const op = reshaping_operator<resolve>({
      .name = "reshape",
      .doc = "The same elements in the same order with another shape.",
      .attributes = {{"shape", "the new shape; one extent may be -1, 0 copies the input's"},
                     {"allow_zero", "1: an extent of 0 means no elements, instead of copying"}},
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_reshape
