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
  return unsupported(fmt::format("resizing by {}, which is no ratio of small integers", number));
}

/// Output extents per input extents.
Result<Ratio> scale_of(Attributes const& attributes, Shape const& input, size_t i) {
  std::vector<int64_t> sizes = integers(attributes, "sizes");
  std::vector<double> scales = numbers(attributes, "scales");
  if (sizes.empty() && scales.size() == input.size()) return ratio_of(scales[i]);
  if (sizes.size() != input.size())
    return unfit(fmt::format("{} factors for a tensor of {} dimensions",
                             std::max(sizes.size(), scales.size()), input.size()));
  return Ratio{sizes[i], std::max<int64_t>(input[i], 1)};
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
    if (scale.over < 1) return unfit(fmt::format("axis {} would be resized to nothing", i));
    result.push_back(input[i] * scale.over / scale.under);
  }
  return result;
}

Result<std::vector<Resampled>> resampled_axes(Attributes const& attributes, Shape const& input) {
  TRY_ASSIGN(Shape shape, resized_shape(attributes, input));
  std::string rule = text(attributes, "coordinates", "half_pixel");
  std::vector<double> region = numbers(attributes, "region");
  bool crop = rule == "tf_crop_and_resize";
  if (crop && region.size() != 2 * input.size())
    return unfit(fmt::format("a region of {} numbers for a tensor of {} dimensions", region.size(),
                             input.size()));
  std::vector<Resampled> axes;
  for (size_t i = 0; i < input.size(); ++i) {
    TRY_ASSIGN(Ratio scale, scale_of(attributes, input, i));
    Resampled axis{.in = input[i], .out = shape[i]};
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
