#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/graph/shared/resampling.h"
#include "engine/tensor/integers.h"

namespace tw::op_resize {
namespace {

using namespace ops;

using Axes = std::vector<Resampled>;

std::string mode_of(Attributes const& attributes) { return text(attributes, "mode", "nearest"); }

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(Shape shape, resized_shape(attributes, inputs[0]->shape));
  TRY(resampled_axes(attributes, inputs[0]->shape));
  if (mode_of(attributes) != "nearest" && !is_float(inputs[0]->type))
    return unsupported(fmt::format("{} resizing of integers", mode_of(attributes)));
  return one(inputs[0]->type, shape);
}

/// Axes whose extent or place changes.
std::vector<size_t> moving(Axes const& axes) {
  std::vector<size_t> result;
  for (size_t i = 0; i < axes.size(); ++i)
    if (!axes[i].identity()) result.push_back(i);
  return result;
}

/// Mean of the two elements around the place, along every moving axis from the k-th on.
ir::Expr interpolated(te::Buffer const& input, Axes const& axes, std::vector<te::Axis> const& out,
                      std::vector<size_t> const& move, size_t k, std::vector<ir::Expr> at) {
  if (k == move.size()) return ir::load(input, at);
  size_t i = move[k];
  ir::Expr o = out[i].var(), part = fraction(axes[i], o, input->type);
  at[i] = neighbour_index(axes[i], o, 0);
  ir::Expr low = interpolated(input, axes, out, move, k + 1, at);
  if (axes[i].d == 1) return low;
  at[i] = neighbour_index(axes[i], o, 1);
  ir::Expr high = interpolated(input, axes, out, move, k + 1, at);
  return low * (immediate(1, input->type) - part) + high * part;
}

/// A place outside of the tensor gets the value for that.
ir::Expr with_outside(Attributes const& attributes, Axes const& axes,
                      std::vector<te::Axis> const& out, ir::Expr body) {
  if (text(attributes, "coordinates") != "tf_crop_and_resize") return body;
  ir::Expr all;
  for (size_t i = 0; i < axes.size(); ++i)
    if (ir::Expr one = inside(axes[i], out[i].var())) all = all ? all && one : one;
  if (!all) return body;
  return ir::select(all, body, immediate(number(attributes, "outside"), body.type()));
}

/// Keys 1981: weights of the four elements around a place, `part` behind the second.
ir::Expr cubic_weight(double a, ir::Expr part, ir::Expr tap) {
  auto value = [&](double v) { return immediate(v, part.type()); };
  auto near = [&](ir::Expr x) { return ((x * value(a + 2) - value(a + 3)) * x) * x + value(1); };
  auto far = [&](ir::Expr x) {
    return ((x * value(a) - value(5 * a)) * x + value(8 * a)) * x - value(4 * a);
  };
  return ir::select(tap < 2, ir::select(tap < 1, far(part + value(1)), near(part)),
                    ir::select(tap < 3, near(value(1) - part), far(value(2) - part)));
}

/// The weights of one axis as stages: out x 4, normalized where elements outside do not count.
void add_weights(Tensors& tensors, Attributes const& attributes, Resampled const& axis,
                 std::string const& name, DType type) {
  te::Axis o{"o", axis.out, ""}, tap{"t", 4, ""}, other{"s", 4, ""};
  ir::Expr weight =
      cubic_weight(number(attributes, "cubic", -0.75), fraction(axis, o.var(), type), tap.var());
  bool exclude = integer(attributes, "exclude_outside") != 0;
  if (exclude) {
    ir::Expr index = ir::floor_div(axis.numerator(o.var()), ir::int_imm(axis.d)) + tap.var() - 1;
    weight = ir::select(0 <= index && index < axis.in, weight, immediate(0, type));
  }
  tensors.stages.push_back(
      te::compute(exclude ? name + "_plain" : name, {o, tap}, weight, "weights"));
  if (!exclude) return;
  te::Buffer plain = tensors.stages.back().output;
  te::Stage total = te::reduce(name + "_total", {o}, te::Combiner::kSum, {other},
                               ir::load(plain, {o.var(), other.var()}), "weights");
  ir::Expr share = ir::load(plain, {o.var(), tap.var()}) / ir::load(total.output, {o.var()});
  tensors.stages.push_back(total);
  tensors.stages.push_back(te::compute(name, {o, tap}, share, "weights"));
}

Tensors compute_cubic(Attributes const& attributes, te::Buffer const& input, Axes const& axes,
                      std::vector<te::Axis> const& out, std::string const& name) {
  Tensors tensors;
  std::vector<te::Axis> taps;
  std::vector<ir::Expr> at = te::vars(out);
  ir::Expr weights;
  for (size_t i : moving(axes)) {
    std::string axis_name = name + "_weights_" + out[i].name;
    add_weights(tensors, attributes, axes[i], axis_name, input->type);
    taps.push_back({"t" + std::to_string(i), 4, ""});
    ir::Expr o = out[i].var(), tap = taps.back().var();
    ir::Expr weight = ir::load(tensors.stages.back().output, {o, tap});
    weights = weights ? weights * weight : weight;
    ir::Expr index = ir::floor_div(axes[i].numerator(o), ir::int_imm(axes[i].d)) + tap - 1;
    at[i] = ir::min(ir::max(index, ir::int_imm(0)), ir::int_imm(axes[i].in - 1));
  }
  te::Stage sum =
      te::reduce(name + "_sum", out, te::Combiner::kSum, taps, ir::load(input, at) * weights, name);
  ir::Expr value = ir::load(sum.output, te::vars(out));
  tensors.stages.push_back(sum);
  tensors.stages.push_back(
      te::compute(name, out, with_outside(attributes, axes, out, value), name));
  tensors.outputs = {tensors.stages.back().output};
  return tensors;
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  TRY_ASSIGN(Axes axes, resampled_axes(attributes, shape));
  TRY_ASSIGN(Shape result, resized_shape(attributes, shape));
  std::vector<te::Axis> out = output_axes(result);
  std::vector<size_t> move = moving(axes);
  std::string mode = mode_of(attributes);
  if (mode == "cubic" && !move.empty())
    return compute_cubic(attributes, inputs[0], axes, out, name);
  std::vector<ir::Expr> at = te::vars(out);
  ir::Expr body;
  if (mode == "nearest") {
    for (size_t i : move)
      at[i] =
          nearest_index(axes[i], text(attributes, "nearest", "round_prefer_floor"), out[i].var());
    body = ir::load(inputs[0], at);
  } else {
    body = interpolated(inputs[0], axes, out, move, 0, at);
  }
  return single(te::compute(name, out, with_outside(attributes, axes, out, body), name));
}

// ---- the reference: the standard's formulas in doubles -------------------------------------

/// What an output element takes from one axis: elements and their weights.
struct Taps {
  std::vector<std::pair<int64_t, double>> parts;
  bool outside = false;
};

/// Place of axis `i` in lists that are of `axes` alone; -1: it is not among them.
int64_t place_in_lists(Attributes const& attributes, size_t rank, size_t i) {
  if (!has(attributes, "axes")) return int64_t(i);
  std::vector<int64_t> axes = integers(attributes, "axes");
  for (size_t k = 0; k < axes.size(); ++k)
    if (axes[k] == int64_t(i) || axes[k] + int64_t(rank) == int64_t(i)) return int64_t(k);
  return -1;
}

/// The factor that keeps the proportions of all resized axes; 0: each has its own.
double common_factor(Attributes const& attributes, Shape const& in) {
  std::string policy = text(attributes, "policy", "stretch");
  std::vector<int64_t> sizes = integers(attributes, "sizes");
  double factor = 0;
  for (size_t i = 0; i < in.size() && policy != "stretch"; ++i) {
    int64_t k = place_in_lists(attributes, in.size(), i);
    if (k < 0) continue;
    double one = double(sizes[size_t(k)]) / double(in[i]);
    bool first = factor == 0;
    factor = first ? one : policy == "not_smaller" ? std::max(factor, one) : std::min(factor, one);
  }
  return factor;
}

double source_place(Attributes const& attributes, Shape const& in, Shape const& out, size_t i,
                    int64_t o) {
  int64_t listed = place_in_lists(attributes, in.size(), i);
  if (listed < 0) return double(o);
  std::string rule = text(attributes, "coordinates", "half_pixel");
  std::vector<double> scales = numbers(attributes, "scales"),
                      region = numbers(attributes, "region");
  if (double factor = common_factor(attributes, in); factor > 0) scales.assign(in.size(), factor);
  double scale = scales.empty() ? double(out[i]) / double(in[i]) : scales[size_t(listed)];
  double last_in = double(in[i] - 1), last_out = double(out[i] - 1), x = double(o);
  auto stretched = [&](double length) {  // one rounding, so that places between elements are exact
    return scales.empty() ? length * double(in[i]) / double(out[i]) : length / scale;
  };
  if (rule == "asymmetric") return stretched(x);
  if (rule == "half_pixel_symmetric") {
    double left = double(in[i]) / 2 - stretched(double(out[i])) / 2;
    return left + stretched(x + 0.5) - 0.5;
  }
  if (rule == "tf_half_pixel_for_nn") return stretched(x + 0.5);
  if (rule == "align_corners") return out[i] == 1 ? 0 : x * last_in / last_out;
  if (rule == "pytorch_half_pixel" && out[i] == 1) return 0;
  if (rule != "tf_crop_and_resize") return stretched(x + 0.5) - 0.5;
  double start = region[size_t(listed)], end = region[size_t(listed) + region.size() / 2];
  return out[i] == 1 ? 0.5 * (start + end) * last_in
                     : start * last_in + x * (end - start) * last_in / last_out;
}

int64_t nearest(std::string const& rule, double x) {
  if (rule == "floor") return int64_t(std::floor(x));
  if (rule == "ceil") return int64_t(std::ceil(x));
  return int64_t(rule == "round_prefer_ceil" ? std::floor(x + 0.5) : std::ceil(x - 0.5));
}

double keys(double a, double x) {
  x = std::abs(x);
  if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

Taps taps_of(Attributes const& attributes, double x, int64_t extent) {
  Taps taps;
  taps.outside =
      text(attributes, "coordinates") == "tf_crop_and_resize" && (x < 0 || x > double(extent - 1));
  std::string mode = mode_of(attributes);
  int64_t floor = int64_t(std::floor(x));
  if (mode == "nearest")
    taps.parts = {{nearest(text(attributes, "nearest", "round_prefer_floor"), x), 1}};
  else if (mode == "linear")
    taps.parts = {{floor, 1 - (x - double(floor))}, {floor + 1, x - double(floor)}};
  else
    for (int64_t i = floor - 1; i <= floor + 2; ++i)
      taps.parts.push_back({i, keys(number(attributes, "cubic", -0.75), x - double(i))});
  double total = 0;
  bool exclude = integer(attributes, "exclude_outside") != 0 && mode == "cubic";
  for (auto& [index, weight] : taps.parts) {
    if (exclude && (index < 0 || index >= extent)) weight = 0;
    index = std::min(std::max<int64_t>(index, 0), extent - 1);
    total += weight;
  }
  for (auto& [index, weight] : taps.parts)
    if (exclude) weight /= total;
  return taps;
}

/// Of the one element that each axis takes.
int64_t place_of(std::vector<Taps const*> const& taps, std::vector<int64_t> const& strides) {
  int64_t at = 0;
  for (size_t i = 0; i < taps.size(); ++i) at += taps[i]->parts.begin()->first * strides[i];
  return at;
}

double gathered(NDArray const& x, std::vector<Taps const*> const& taps,
                std::vector<int64_t> const& strides, size_t axis, int64_t at) {
  if (axis == taps.size()) return x.value_at(at);
  double total = 0;
  for (auto const& [index, weight] : taps[axis]->parts)
    if (weight != 0)
      total += weight * gathered(x, taps, strides, axis + 1, at + index * strides[axis]);
  return total;
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(Shape shape, resized_shape(attributes, x.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), shape));
  std::vector<std::vector<Taps>> all(shape.size());
  for (size_t i = 0; i < shape.size(); ++i)
    for (int64_t o = 0; o < shape[i]; ++o)
      all[i].push_back(
          taps_of(attributes, source_place(attributes, x.shape(), shape, i, o), x.shape()[i]));
  std::vector<int64_t> strides = row_major_strides(x.shape());
  for (int64_t flat = 0; flat < out.size(); ++flat) {
    std::vector<Taps const*> taps(shape.size());
    bool outside = false;
    for (int64_t i = int64_t(shape.size()) - 1, rest = flat; i >= 0; --i) {
      taps[size_t(i)] = &all[size_t(i)][size_t(rest % shape[size_t(i)])];
      outside = outside || taps[size_t(i)]->outside;
      rest /= shape[size_t(i)];
    }
    bool moves = std::ranges::all_of(
        taps, [](Taps const* t) { return t->parts.size() == 1 && t->parts[0].second == 1; });
    if (outside)
      out.set_value(flat, number(attributes, "outside"));
    else if (moves)
      copy_element(out, flat, x, place_of(taps, strides));
    else
      out.set_value(flat, gathered(x, taps, strides, 0, 0));
  }
  return std::vector{out};
}

/// The lists of the last axes only, named by number or from the end; sizes sometimes in proportion.
void name_last_axes(Rng& rng, Attributes& attributes, size_t rank) {
  int64_t count = std::min<int64_t>(2, int64_t(rank)), skipped = int64_t(rank) - count;
  std::vector<int64_t> axes;
  for (int64_t i = skipped; i < int64_t(rank); ++i)
    axes.push_back(rng.below(2) ? i : i - int64_t(rank));
  attributes["axes"] = axes;
  if (has(attributes, "scales")) {
    std::vector<double> scales = numbers(attributes, "scales");
    attributes["scales"] = std::vector<double>(scales.begin() + skipped, scales.end());
  } else {
    std::vector<int64_t> sizes = integers(attributes, "sizes");
    attributes["sizes"] = std::vector<int64_t>(sizes.begin() + skipped, sizes.end());
    if (text(attributes, "coordinates") != "align_corners" && rng.below(2))
      attributes["policy"] = std::string(rng.below(2) ? "not_larger" : "not_smaller");
  }
  if (!has(attributes, "region")) return;
  std::vector<double> region = numbers(attributes, "region");
  region.erase(region.begin() + int64_t(rank), region.begin() + int64_t(rank) + skipped);
  region.erase(region.begin(), region.begin() + skipped);
  attributes["region"] = region;
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 4));
  Shape shape = random_shape(rng, rank, 4);
  auto one_of = [&](std::vector<std::string> const& list) {
    return list[size_t(rng.below(int64_t(list.size())))];
  };
  RandomCase result{
      {{"mode", one_of({"nearest", "linear", "cubic"})},
       {"coordinates",
        one_of({"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                "half_pixel_symmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"})},
       {"nearest", one_of({"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})},
       {"exclude_outside", rng.below(2)},
       {"cubic", -0.5},
       {"outside", 7.0}},
      {random_array(rng, shape)}};
  std::vector<double> scales, region(2 * rank);
  for (size_t i = 0; i < rank; ++i) {
    scales.push_back(double(rng.between(4, 12)) / 4);  // exact in doubles, as the reference needs
    if (i < rank - std::min<size_t>(rank, 2))
      scales[i] = 1, shape[i] = std::min<int64_t>(shape[i], 2);
    region[i] = double(rng.between(-2, 3)) / 8;
    region[i + rank] = double(rng.between(4, 10)) / 8;
  }
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < rank; ++i) sizes.push_back(i + 2 < rank ? shape[i] : rng.between(1, 6));
  bool aligned = text(result.attributes, "coordinates") == "align_corners";
  if (!aligned && rng.below(2))
    result.attributes["scales"] = scales;
  else
    result.attributes["sizes"] = sizes;
  if (text(result.attributes, "coordinates") == "tf_crop_and_resize")
    result.attributes["region"] = region;
  if (rng.below(3) == 0) name_last_axes(rng, result.attributes, rank);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "resize",
      .doc =
          "The tensor resized: each element is interpolated from the elements around its place in "
          "the input.",
      .fusion = Fusion::kComplexOutFusable,
      .inputs = {"X"},
      .attributes =
          {{"mode", "nearest, linear or cubic"},
           {"sizes", "new extents"},
           {"scales", "or factors of the extents"},
           {"axes", "axes to which sizes, scales and region apply; absent: all"},
           {"policy", "not_larger or not_smaller: one factor for all axes, by sizes"},
           {"coordinates",
            "how coordinates map to the input: half_pixel, pytorch_half_pixel, align_corners, "
            "half_pixel_symmetric, asymmetric, tf_half_pixel_for_nn, tf_crop_and_resize"},
           {"nearest", "round_prefer_floor, round_prefer_ceil, floor or ceil"},
           {"region", "starts, then ends of the resized region, as fractions of the extents"},
           {"outside", "value for positions outside the tensor"},
           {"cubic", "parameter of the cubic weights"},
           {"exclude_outside", "1: elements outside the tensor have no weight"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_resize
