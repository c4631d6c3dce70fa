#include "engine/graph/shared/resampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tw::ops {
namespace {

struct Ratio {
  int64_t over = 1, under = 1;
};

/// The simplest ratio that is the number when it is rounded to f32: 0.6f is 3/5. By continued
/// fractions.
Result<Ratio> ratio_of(double number) {
  constexpr int64_t kMost = 1 << 14;
  int64_t p[2] = {1, 0}, q[2] = {0, 1};
  double rest = number;
  for (int step = 0; step < 40 && std::abs(rest) < 1e9; ++step) {
    int64_t whole = int64_t(std::floor(rest));
    int64_t next_p = whole * p[0] + p[1], next_q = whole * q[0] + q[1];
    if (next_q > kMost || std::abs(next_p) > (int64_t(1) << 31)) break;
    p[1] = std::exchange(p[0], next_p);
    q[1] = std::exchange(q[0], next_q);
    if (float(double(p[0]) / double(q[0])) == float(number)) return Ratio{p[0], q[0]};
    rest = 1 / (rest - double(whole));
  }
  return unsupported(fmt::format("resizing by {}, which is not a ratio of small integers", number));
}

/// Axes that sizes and scales are of: all, unless `axes` names some.
Result<std::vector<size_t>> resized_axes(Attributes const& attributes, Shape const& input) {
  std::vector<size_t> axes;
  if (!has(attributes, "axes"))
    for (size_t i = 0; i < input.size(); ++i) axes.push_back(i);
  for (int64_t axis : integers(attributes, "axes")) {
    TRY_ASSIGN(axis, normal_axis(axis, input.size()));
    if (std::ranges::find(axes, size_t(axis)) != axes.end())
      return unfit(fmt::format("axis {} is named twice", axis));
    axes.push_back(size_t(axis));
  }
  return axes;
}

/// Of all axes that are resized the factor that makes none larger, or smaller, than its size.
Ratio kept_aspect(std::vector<int64_t> const& sizes, std::vector<size_t> const& axes,
                  Shape const& input, bool larger) {
  Ratio best;
  for (size_t k = 0; k < axes.size(); ++k) {
    Ratio one{sizes[k], std::max<int64_t>(input[axes[k]], 1)};
    int64_t more = one.over * best.under - best.over * one.under;
    if (k == 0 || (larger ? more > 0 : more < 0)) best = one;
  }
  return best;
}

/// Output extents per input extents.
Result<Ratio> scale_of(Attributes const& attributes, Shape const& input, size_t i) {
  std::vector<int64_t> sizes = integers(attributes, "sizes");
  std::vector<double> scales = numbers(attributes, "scales");
  TRY_ASSIGN(std::vector<size_t> axes, resized_axes(attributes, input));
  size_t given = std::max(sizes.size(), scales.size());
  if (given != axes.size())
    return unfit(fmt::format("{} factors for {} axes of a tensor of {} dimensions", given,
                             axes.size(), input.size()));
  auto found = std::ranges::find(axes, i);
  if (found == axes.end()) return Ratio{};
  auto k = size_t(found - axes.begin());
  if (sizes.empty()) return ratio_of(scales[k]);
  std::string policy = text(attributes, "policy", "stretch");
  if (policy != "stretch") return kept_aspect(sizes, axes, input, policy == "not_smaller");
  return Ratio{sizes[k], std::max<int64_t>(input[i], 1)};
}

/// The region of all axes; an axis that is not named is taken whole.
Result<std::vector<double>> whole_region(Attributes const& attributes, Shape const& input) {
  TRY_ASSIGN(std::vector<size_t> axes, resized_axes(attributes, input));
  std::vector<double> given = numbers(attributes, "region"), region(2 * input.size(), 0);
  if (given.size() != 2 * axes.size())
    return unfit(fmt::format("a region of {} numbers for {} axes", given.size(), axes.size()));
  std::fill(region.begin() + int64_t(input.size()), region.end(), 1);
  for (size_t k = 0; k < axes.size(); ++k) {
    region[axes[k]] = given[k];
    region[axes[k] + input.size()] = given[k + axes.size()];
  }
  return region;
}

/// In lowest terms, so that index arithmetic stays simple.
Resampled reduced(Resampled axis) {
  int64_t common = std::gcd(std::gcd(axis.a, axis.b), axis.d);
  if (common > 1) axis.a /= common, axis.b /= common, axis.d /= common;
  return axis;
}

/// The part [start, end] of the input's axis stretched over the output.
Result<Resampled> cropped(Resampled axis, double start, double end) {
  TRY_ASSIGN(Ratio s, ratio_of(start));
  TRY_ASSIGN(Ratio e, ratio_of(end));
  int64_t last = axis.in - 1, steps = axis.out - 1;
  int64_t from = s.over * e.under, to = e.over * s.under, under = s.under * e.under;
  if (steps == 0) {
    axis.a = 0, axis.b = (from + to) * last, axis.d = 2 * under;
  } else {
    axis.a = (to - from) * last, axis.b = from * last * steps, axis.d = under * steps;
  }
  return axis;
}

Result<Resampled> place(std::string const& rule, Resampled axis, Ratio scale) {
  int64_t n = scale.over, m = scale.under;
  if (rule == "half_pixel" || (rule == "pytorch_half_pixel" && axis.out > 1)) {
    axis.a = 2 * m, axis.b = m - n, axis.d = 2 * n;
  } else if (rule == "pytorch_half_pixel" || (rule == "align_corners" && axis.out == 1)) {
    axis.a = 0;
  } else if (rule == "align_corners") {
    axis.a = axis.in - 1, axis.d = axis.out - 1;
  } else if (rule == "half_pixel_symmetric") {
    // About the middle of what the scale would make if it were not cut to a whole extent.
    axis.a = 2 * m, axis.b = axis.in * n - axis.out * m + m - n, axis.d = 2 * n;
  } else if (rule == "asymmetric") {
    axis.a = m, axis.d = n;
  } else if (rule == "tf_half_pixel_for_nn") {
    axis.a = 2 * m, axis.b = m, axis.d = 2 * n;
  } else {
    return unsupported(fmt::format("resizing with coordinates '{}'", rule));
  }
  return axis;
}

/// `index` moved into the tensor, as far as it can be outside.
ir::Expr bounded(ir::Expr index, int64_t least, int64_t most, int64_t extent) {
  if (least < 0) index = ir::max(index, ir::int_imm(0));
  if (most >= extent) index = ir::min(index, ir::int_imm(extent - 1));
  return index;
}

int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0); }

/// (factor * numerator + offset) / (factor * d) rounded down, bounded.
ir::Expr rounded_index(Resampled const& axis, ir::Expr o, int64_t factor, int64_t offset) {
  int64_t under = factor * axis.d;
  auto value = [&](int64_t at) {
    return floor_of(factor * (axis.a * at + axis.b) + offset, under);
  };
  ir::Expr over = o * (factor * axis.a) + (factor * axis.b + offset);
  auto [least, most] = std::minmax({value(0), value(axis.out - 1)});
  return bounded(ir::floor_div(over, ir::int_imm(under)), least, most, axis.in);
}

}  // namespace

Result<Shape> resized_shape(Attributes const& attributes, Shape const& input) {
  Shape result;
  for (size_t i = 0; i < input.size(); ++i) {
    TRY_ASSIGN(Ratio scale, scale_of(attributes, input, i));
    if (scale.over < 1) return unfit(fmt::format("axis {} would be resized to extent 0", i));
    int64_t extent = input[i] * scale.over;
    // Kept in proportion, an extent is rounded; else it is a size, or cut.
    result.push_back(text(attributes, "policy", "stretch") == "stretch"
                         ? extent / scale.under
                         : (2 * extent + scale.under) / (2 * scale.under));
  }
  return result;
}

Result<std::vector<Resampled>> resampled_axes(Attributes const& attributes, Shape const& input) {
  TRY_ASSIGN(Shape shape, resized_shape(attributes, input));
  std::string rule = text(attributes, "coordinates", "half_pixel");
  bool crop = rule == "tf_crop_and_resize";
  std::vector<double> region;
  if (crop) {
    TRY_ASSIGN(region, whole_region(attributes, input));
  }
  TRY_ASSIGN(std::vector<size_t> named, resized_axes(attributes, input));
  std::vector<Resampled> axes;
  for (size_t i = 0; i < input.size(); ++i) {
    TRY_ASSIGN(Ratio scale, scale_of(attributes, input, i));
    Resampled axis{.in = input[i], .out = shape[i]};
    if (std::ranges::find(named, i) == named.end()) {  // by some rules even a factor of 1 moves
      axes.push_back(axis);
      continue;
    }
    // By the operator's definition corners of 3.2 elements are aligned, by what runs it of 3.
    if (rule == "align_corners" && input[i] * scale.over % scale.under != 0)
      return unsupported(
          fmt::format("resizing {} elements by {}/{} with align_corners, which does not give an "
                      "integer number of elements",
                      input[i], scale.over, scale.under));
    TRY_ASSIGN(
        axis, crop ? cropped(axis, region[i], region[i + input.size()]) : place(rule, axis, scale));
    axes.push_back(reduced(axis));
  }
  return axes;
}

ir::Expr nearest_index(Resampled const& axis, std::string const& rule, ir::Expr o) {
  if (rule == "floor") return rounded_index(axis, o, 1, 0);
  if (rule == "ceil") return rounded_index(axis, o, 1, axis.d - 1);
  if (rule == "round_prefer_ceil") return rounded_index(axis, o, 2, axis.d);
  return rounded_index(axis, o, 2, axis.d - 1);
}

ir::Expr neighbour_index(Resampled const& axis, ir::Expr o, int64_t offset) {
  return rounded_index(axis, o, 1, offset * axis.d);
}

ir::Expr fraction(Resampled const& axis, ir::Expr o, DType type) {
  ir::Expr over = ir::floor_mod(axis.numerator(o), ir::int_imm(axis.d));
  return ir::cast(type, over) * immediate(1 / double(axis.d), type);
}

ir::Expr inside(Resampled const& axis, ir::Expr o) {
  auto [least, most] = std::minmax({axis.b, axis.a * (axis.out - 1) + axis.b});
  int64_t last = (axis.in - 1) * axis.d;
  ir::Expr condition;
  if (least < 0) condition = 0 <= axis.numerator(o);
  if (most > last) {
    ir::Expr below = axis.numerator(o) <= ir::int_imm(last);
    condition = condition ? condition && below : below;
  }
  return condition;
}

}  // namespace tw::ops
