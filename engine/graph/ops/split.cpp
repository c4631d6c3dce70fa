#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/shared/moves.h"

namespace tw::op_split {
namespace {

using namespace ops;

struct Part {
  size_t axis = 0;
  int64_t start = 0;
  Shape shape;
};

/// Extents of all parts along the axis: those given, or equal ones of which the last may be
/// smaller.
Result<std::vector<int64_t>> extents_of(Attributes const& attributes, int64_t extent) {
  std::vector<int64_t> sizes = integers(attributes, "sizes");
  int64_t total = 0;
  for (int64_t size : sizes)
    if (size < 0 || __builtin_add_overflow(total, size, &total))
      return unfit(fmt::format("a part of {} elements", size));
  if (has(attributes, "sizes")) {
    if (total == extent) return sizes;
    return unfit(
        fmt::format("the parts have {} elements together, but the axis has {}", total, extent));
  }
  int64_t parts = std::max<int64_t>(1, integer(attributes, "parts", 1));
  int64_t each = extent / parts + (extent % parts != 0);
  for (int64_t i = 0; i < parts; ++i)
    sizes.push_back(std::clamp<int64_t>(extent - i * each, 0, each));
  return sizes;
}

Result<Part> part_of(Attributes const& attributes, Shape const& shape) {
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis"), shape.size()));
  TRY_ASSIGN(std::vector<int64_t> extents, extents_of(attributes, shape[size_t(axis)]));
  auto index = size_t(integer(attributes, "index"));
  if (index >= extents.size())
    return unfit(fmt::format("part {} of {}", index + 1, extents.size()));
  Part part{size_t(axis), 0, shape};
  for (size_t i = 0; i < index; ++i) part.start += extents[i];
  part.shape[part.axis] = extents[index];
  return part;
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(Part part, part_of(attributes, inputs[0]->shape));
  return one(inputs[0]->type, part.shape);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(Part part, part_of(attributes, shape_of(inputs[0])));
  return move_compute(inputs[0], part.shape, name, [&](std::vector<ir::Expr> at) {
    at[part.axis] = at[part.axis] + part.start;
    return at;
  });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(Part part, part_of(attributes, inputs[0].shape()));
  std::vector<int64_t> strides = row_major_strides(inputs[0].shape());
  return move_elements(inputs[0], part.shape, [&](std::span<int64_t const> at) {
    int64_t flat = part.start * strides[part.axis];
    for (size_t i = 0; i < at.size(); ++i) flat += at[i] * strides[i];
    return flat;
  });
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 4));
  int64_t axis = rng.below(int64_t(rank)), parts = rng.between(1, 3), index = rng.below(parts);
  Shape shape = random_shape(rng, rank, 4);
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < parts; ++i) sizes.push_back(rng.between(1, 3));
  bool equal = rng.below(2);
  if (equal) sizes.assign(size_t(parts), sizes[0]);
  shape[size_t(axis)] = 0;
  for (int64_t size : sizes) shape[size_t(axis)] += size;
  RandomCase result{{{"axis", rng.below(2) ? axis : axis - int64_t(rank)}, {"index", index}},
                    {random_array(rng, shape)}};
  if (equal)
    result.attributes["parts"] = parts;
  else
    result.attributes["sizes"] = sizes;
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "split",
      .doc = "One of the parts into which a tensor is split along an axis.",
      .fusion = Fusion::kInjective,
      .inputs = {"X"},
      .attributes = {{"axis", "axis that is split"},
                     {"index", "which part this is"},
                     {"sizes", "extents of all parts"},
                     {"parts", "without sizes: the number of equal parts"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_split
