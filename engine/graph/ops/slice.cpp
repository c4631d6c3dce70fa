#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/graph/shared/moves.h"

namespace tw::op_slice {
namespace {

using namespace ops;

/// What is read along one axis: start, start + step, ...
struct Range {
  int64_t start = 0, step = 1, extent = 0;
};

/// Places count from the end when negative and are moved into the axis, as in numpy.
Range range_of(int64_t start, int64_t end, int64_t step, int64_t extent) {
  step = std::clamp(step, -std::max<int64_t>(extent, 1), std::max<int64_t>(extent, 1));
  int64_t first = step > 0 ? 0 : -1, last = step > 0 ? extent : extent - 1;
  auto place = [&](int64_t at) { return std::clamp(at < 0 ? at + extent : at, first, last); };
  start = place(start);
  int64_t way = step > 0 ? place(end) - start : start - place(end), stride = std::abs(step);
  return {start, step, std::max<int64_t>(0, (way + stride - 1) / stride)};
}

/// One per axis of the tensor.
Result<std::vector<Range>> ranges(Attributes const& attributes, Shape const& shape) {
  std::vector<int64_t> starts = integers(attributes, "starts"), ends = integers(attributes, "ends");
  std::vector<int64_t> axes = integers(attributes, "axes"), steps = integers(attributes, "steps");
  if (!has(attributes, "axes"))
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(int64_t(i));
  if (!has(attributes, "steps")) steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    return unfit(fmt::format("{} starts, {} ends, {} axes and {} steps", starts.size(), ends.size(),
                             axes.size(), steps.size()));
  std::vector<Range> result;
  for (int64_t extent : shape) result.push_back({0, 1, extent});
  std::set<int64_t> seen;
  for (size_t i = 0; i < axes.size(); ++i) {
    TRY_ASSIGN(int64_t axis, normal_axis(axes[i], shape.size()));
    if (!seen.insert(axis).second) return unfit(fmt::format("axis {} is sliced twice", axis));
    if (steps[i] == 0) return unfit("a step of 0");
    result[size_t(axis)] = range_of(starts[i], ends[i], steps[i], shape[size_t(axis)]);
  }
  return result;
}

Shape shape_of_ranges(std::vector<Range> const& ranges) {
  Shape shape;
  for (Range const& range : ranges) shape.push_back(range.extent);
  return shape;
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(std::vector<Range> cut, ranges(attributes, inputs[0]->shape));
  return one(inputs[0]->type, shape_of_ranges(cut));
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(std::vector<Range> cut, ranges(attributes, shape_of(inputs[0])));
  return move_compute(inputs[0], shape_of_ranges(cut), name, [&](std::vector<ir::Expr> at) {
    for (size_t i = 0; i < at.size(); ++i) at[i] = at[i] * cut[i].step + cut[i].start;
    return at;
  });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(std::vector<Range> cut, ranges(attributes, inputs[0].shape()));
  std::vector<int64_t> strides = row_major_strides(inputs[0].shape());
  return move_elements(inputs[0], shape_of_ranges(cut), [&](std::span<int64_t const> at) {
    int64_t flat = 0;
    for (size_t i = 0; i < at.size(); ++i)
      flat += (cut[i].start + at[i] * cut[i].step) * strides[i];
    return flat;
  });
}

RandomCase random_case(Rng& rng) {
  Shape shape = random_shape(rng, size_t(rng.between(1, 4)), 6);
  std::vector<int64_t> starts, ends, axes, steps;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (rng.below(3) == 0) continue;
    int64_t axis = int64_t(i), low = rng.below(shape[i]), high = rng.between(low + 1, shape[i] + 2);
    bool backward = rng.below(3) == 0, from_end = rng.below(2);
    int64_t n = from_end ? shape[i] : 0;  // low - n counts from the end
    starts.push_back(backward ? std::min(high - 1, shape[i] - 1) - n : low - n);
    ends.push_back(!backward  ? (high < shape[i] ? high - n : high)
                   : low == 0 ? INT64_MIN
                              : low - 1 - n);
    if (backward && low > 0 && !from_end) ends.back() = low - 1;
    axes.push_back(rng.below(2) ? axis : axis - int64_t(shape.size()));
    steps.push_back((backward ? -1 : 1) * rng.between(1, 3));
  }
  return {{{"starts", starts}, {"ends", ends}, {"axes", axes}, {"steps", steps}},
          {random_array(rng, shape)}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "slice",
      .doc = "The elements between two positions along some axes.",
      .fusion = Fusion::kInjective,
      .inputs = {"X"},
      .attributes = {{"starts", "first position; counted from the end if negative"},
                     {"ends", "one past the last position, clamped to the tensor"},
                     {"axes", "the axes; absent: the first ones"},
                     {"steps", "distances, negative: backwards; absent: 1"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_slice
