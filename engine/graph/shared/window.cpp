#include "engine/graph/shared/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tw::ops {
namespace {

constexpr int64_t kMost = int64_t(1) << 20;  // larger numbers are damage
constexpr int64_t kMostTaps = int64_t(1) << 24;

Status check_entries(char const* name, std::vector<int64_t> const& list, size_t count,
                     int64_t least) {
  if (list.size() != count)
    return unfit(fmt::format("{} has {} entries, {} are needed", name, list.size(), count));
  for (int64_t entry : list)
    if (entry < least || entry > kMost)
      return unfit(fmt::format("{} has the entry {}", name, entry));
  return {};
}

/// Padding that makes the output extent ceil(in / stride).
void pad_same(Window& w, size_t i, bool upper) {
  int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
  int64_t wanted = (w.in[i] + w.strides[i] - 1) / w.strides[i];
  int64_t total = std::max<int64_t>(0, (wanted - 1) * w.strides[i] + reach - w.in[i]);
  w.before[i] = upper ? total / 2 : total - total / 2;
  w.after[i] = total - w.before[i];
}

Status set_extent(Window& w, size_t i, bool ceil) {
  int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
  int64_t room = w.in[i] + w.before[i] + w.after[i] - reach;
  if (room < 0)
    return unfit(fmt::format("a window of {} does not fit an extent of {} with its padding", reach,
                             w.in[i]));
  int64_t out = room / w.strides[i] + 1;
  if (ceil && room % w.strides[i] != 0 && out * w.strides[i] < w.in[i] + w.before[i]) ++out;
  w.out.push_back(out);
  w.beyond.push_back(std::max<int64_t>(0, (out - 1) * w.strides[i] - room));
  return {};
}

}  // namespace

bool Window::padded() const {
  for (size_t i = 0; i < rank(); ++i)
    if (before[i] || after[i] || beyond[i]) return true;
  return false;
}

std::vector<AttributeDoc> pool_attributes(AttributeDoc more) {
  return {{"kernel", "extents of the window"},
          {"strides", "steps between windows (strides)"},
          {"pads", "padding before each axis, then after each"},
          {"auto_pad", "same_upper, same_lower or valid instead of pads"},
          {"ceil", "1: the last window may extend beyond the padding (ceil mode)"},
          std::move(more)};
}

Result<Window> window_of(Attributes const& attributes, Shape const& input) {
  Window w;
  w.kernel = integers(attributes, "kernel");
  size_t rank = w.kernel.size();
  if (input.size() != rank + 2)
    return unfit(
        fmt::format("a window of {} axes does not fit the shape {}", rank, to_text(input)));
  w.in.assign(input.begin() + 2, input.end());
  w.strides = integers(attributes, "strides", std::vector<int64_t>(rank, 1));
  w.dilations = integers(attributes, "dilations", std::vector<int64_t>(rank, 1));
  std::vector<int64_t> pads = integers(attributes, "pads", std::vector<int64_t>(2 * rank, 0));
  TRY(check_entries("kernel", w.kernel, rank, 1));
  TRY(check_entries("strides", w.strides, rank, 1));
  TRY(check_entries("dilations", w.dilations, rank, 1));
  TRY(check_entries("pads", pads, 2 * rank, 0));
  if (element_count(w.kernel).value_or(kMostTaps + 1) > kMostTaps)
    return unfit(fmt::format("a window of {} elements", to_text(w.kernel)));
  w.before.assign(pads.begin(), pads.begin() + int64_t(rank));
  w.after.assign(pads.begin() + int64_t(rank), pads.end());
  std::string same = text(attributes, "auto_pad");
  for (size_t i = 0; i < rank; ++i) {
    if (same == "same_upper" || same == "same_lower") pad_same(w, i, same == "same_upper");
    if (same == "valid") w.before[i] = w.after[i] = 0;
    TRY(set_extent(w, i, integer(attributes, "ceil") != 0));
  }
  return w;
}

std::vector<int64_t> drop_taps_on_padding(Window& w) {
  std::vector<int64_t> dropped(w.rank(), 0);
  for (size_t i = 0; i < w.rank(); ++i) {
    auto meets_data = [&](int64_t tap) {
      for (int64_t at = 0; at < w.out[i]; ++at) {
        int64_t place = at * w.strides[i] + tap * w.dilations[i] - w.before[i];
        if (place >= 0 && place < w.in[i]) return true;
      }
      return false;
    };
    int64_t first = 0, last = w.kernel[i] - 1;
    while (first < last && !meets_data(first)) ++first;
    while (last > first && !meets_data(last)) --last;
    int64_t before = w.before[i] - first * w.dilations[i];
    int64_t reach = (w.out[i] - 1) * w.strides[i] + (last - first) * w.dilations[i] + 1;
    int64_t after = reach - w.in[i] - before;
    // A narrower image would have to be cut, which takes as long as padding it.
    if (last - first + 1 == w.kernel[i] || before < 0 || after < 0) continue;
    w.kernel[i] = last - first + 1;
    w.before[i] = before;
    w.after[i] = after;
    w.beyond[i] = 0;
    dropped[i] = first;
  }
  return dropped;
}

std::vector<te::Axis> spatial_axes(Window const& w) {
  std::vector<te::Axis> axes = output_axes(Shape(w.rank() + 2, 1));
  axes.erase(axes.begin(), axes.begin() + 2);
  for (size_t i = 0; i < w.rank(); ++i) axes[i].extent = w.out[i];
  return axes;
}

std::vector<te::Axis> kernel_axes(Window const& w) {
  static std::vector<std::string> const names{"t", "r", "s"};
  static std::vector<std::string> const roles{"kernel_depth", "kernel_height", "kernel_width"};
  std::vector<te::Axis> axes;
  for (size_t i = 0; i < w.rank(); ++i) {
    bool named = w.rank() <= 3;
    size_t k = i + 3 - std::min<size_t>(3, w.rank());
    axes.push_back(
        {named ? names[k] : "k" + std::to_string(i), w.kernel[i], named ? roles[k] : ""});
  }
  return axes;
}

std::optional<LeadingBlocks> leading_blocks(Layout const& layout) {
  LeadingBlocks blocks;
  size_t dims = 0;
  for (Layout::Part const& part : layout.parts(0)) {
    int64_t& own = part.dim == 0 ? blocks.first : blocks.second;
    if (part.block == 0 && part.dim == dims && blocks == LeadingBlocks())
      ++dims;
    else if (part.block > 0 && part.dim < 2 && own == 0 && (part.dim == 1 || blocks.second == 0))
      own = part.block;
    else
      return std::nullopt;
  }
  return blocks;
}

Layout leading_layout(size_t rank, LeadingBlocks const& blocks) {
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t(0));
  std::vector<Layout::Block> cut;
  if (blocks.first > 0) cut.push_back({0, blocks.first});
  if (blocks.second > 0) cut.push_back({1, blocks.second});
  return cut.empty() ? Layout() : Layout::create(order, cut).value();
}

std::vector<te::Axis> block_axes(Shape const& stored, size_t rank) {
  std::vector<te::Axis> axes;
  if (stored.size() > rank + 1) axes.push_back({"a", stored[rank], "batch_block"});
  if (stored.size() > rank) axes.push_back({"b", stored.back(), "block"});
  return axes;
}

te::Stage pad_stage(te::Buffer const& input, Window const& w, ir::Expr fill) {
  Shape shape = shape_of(input);
  for (size_t i = 0; i < w.rank(); ++i) shape[i + 2] += w.before[i] + w.after[i] + w.beyond[i];
  std::vector<te::Axis> axes =
      output_axes(Shape(shape.begin(), shape.begin() + int64_t(w.rank()) + 2));
  std::vector<ir::Expr> indices{axes[0].var(), axes[1].var()};
  ir::Expr inside;
  auto require = [&](ir::Expr condition) { inside = inside ? inside && condition : condition; };
  for (size_t i = 0; i < w.rank(); ++i) {
    ir::Expr at = axes[i + 2].var();
    if (w.before[i]) require(ir::int_imm(w.before[i]) <= at);
    if (w.after[i] + w.beyond[i]) require(at < w.before[i] + w.in[i]);
    indices.push_back(at - w.before[i]);
  }
  for (te::Axis const& axis : block_axes(shape, axes.size())) {
    axes.push_back(axis);
    indices.push_back(axis.var());
  }
  ir::Expr body = ir::load(input, indices);
  return te::compute("pad", std::move(axes),
                     inside ? ir::select(inside, body, std::move(fill)) : body, "pad");
}

std::vector<ir::Expr> window_indices(Window const& w, ir::Expr n, ir::Expr c) {
  std::vector<ir::Expr> indices{std::move(n), std::move(c)};
  std::vector<te::Axis> spatial = spatial_axes(w), kernel = kernel_axes(w);
  for (size_t i = 0; i < w.rank(); ++i)
    indices.push_back(spatial[i].var() * w.strides[i] + kernel[i].var() * w.dilations[i]);
  return indices;
}

Attributes random_window(Rng& rng, std::vector<int64_t> const& in, bool pooling) {
  size_t rank = in.size();
  std::vector<int64_t> kernel, strides, dilations, pads(2 * rank);
  for (size_t i = 0; i < rank; ++i) {
    kernel.push_back(rng.between(1, std::min<int64_t>(3, in[i])));
    strides.push_back(rng.between(1, 3));
    int64_t widest = kernel[i] == 1 ? 2 : std::max<int64_t>(1, (in[i] - 1) / (kernel[i] - 1));
    dilations.push_back(pooling ? 1 : rng.between(1, std::min<int64_t>(2, widest)));
    pads[i] = rng.below(pooling ? kernel[i] : 3);  // a window of padding only has no maximum
    pads[i + rank] = rng.below(pooling ? kernel[i] : 3);
  }
  Attributes result{{"kernel", kernel}, {"strides", strides}, {"dilations", dilations}};
  int64_t kind = rng.below(5);
  if (kind == 0) result["auto_pad"] = std::string("same_upper");
  if (kind == 1) result["auto_pad"] = std::string("same_lower");
  if (kind > 1) result["pads"] = pads;
  if (pooling && kind > 1) result["ceil"] = rng.below(2);
  return result;
}

int64_t window_rereads(Attributes const& attributes) {
  std::vector<int64_t> kernel = integers(attributes, "kernel");
  std::vector<int64_t> strides =
      integers(attributes, "strides", std::vector<int64_t>(kernel.size(), 1));
  int64_t times = 1;
  for (size_t i = 0; i < kernel.size() && i < strides.size(); ++i)
    times *= std::max<int64_t>(1, (kernel[i] + strides[i] - 1) / std::max<int64_t>(1, strides[i]));
  return times;
}

void for_each_in_window(Window const& w, int64_t at,
                        std::function<void(int64_t, int64_t)> const& f) {
  size_t rank = w.rank();
  std::vector<int64_t> start(rank), k(rank, 0);
  for (size_t i = rank; i > 0; --i) {
    start[i - 1] = at % w.out[i - 1] * w.strides[i - 1] - w.before[i - 1];
    at /= w.out[i - 1];
  }
  int64_t count = element_count(w.kernel).value_or(0);
  for (int64_t index = 0; index < count; ++index) {
    int64_t flat = 0;
    for (size_t i = 0; i < rank; ++i) {
      int64_t place = start[i] + k[i] * w.dilations[i];
      if (flat >= 0) flat = place < 0 || place >= w.in[i] ? -1 : flat * w.in[i] + place;
    }
    f(flat, index);
    for (size_t i = rank; i > 0 && ++k[i - 1] == w.kernel[i - 1]; --i) k[i - 1] = 0;
  }
}

RandomCase random_pool(Rng& rng) {
  size_t rank = size_t(rng.between(1, 3));
  std::vector<int64_t> in = random_shape(rng, rank, 6);
  Shape shape{rng.between(1, 2), rng.between(1, 3)};
  int64_t block = rng.below(2) ? 0 : rng.between(1, 3);
  int64_t images = block == 0 || rng.below(2) ? 0 : rng.between(1, 3);
  if (images > 0) shape[0] *= images;
  if (block > 0) shape[1] *= block;
  shape.insert(shape.end(), in.begin(), in.end());
  RandomCase result{random_window(rng, in, true), {random_array(rng, shape)}};
  if (block > 0) result.layouts = {leading_layout(shape.size(), {images, block})};
  result.result_layouts = result.layouts;
  return result;
}

Shape pooled_shape(Window const& window, Shape const& input) {
  Shape shape(input.begin(), input.begin() + 2);
  shape.insert(shape.end(), window.out.begin(), window.out.end());
  return shape;
}

std::vector<te::Axis> pooled_axes(Window const& window, Shape const& input) {
  std::vector<te::Axis> axes{{"n", input[0], "batch"}, {"c", input[1], "channel"}};
  for (te::Axis const& axis : spatial_axes(window)) axes.push_back(axis);
  for (te::Axis const& axis : block_axes(input, axes.size())) axes.push_back(axis);
  return axes;
}

Status pool_takes(Attributes const&, Arrangement const& arrangement) {
  auto data = leading_blocks(arrangement.input(0)), result = leading_blocks(arrangement.output(0));
  if (!data || !result || data != result || (data->first > 0 && data->second == 0))
    return not_taken(
        "a pool takes images in blocks of channels, ABCD16b or ABCD4a16b, and writes the same");
  Shape const& shape = arrangement.inputs[0].shape;
  if ((data->first == 0 || shape[0] % data->first == 0) &&
      (data->second == 0 || shape[1] % data->second == 0))
    return {};
  return not_taken(fmt::format("{} images of {} channels are not whole blocks of {}", shape[0],
                               shape[1], to_text(arrangement.input(0))));
}

Tensors pool_stages(te::Buffer const& input, Window const& window, ir::Expr const& fill,
                    te::Combiner combiner, std::string const& name, std::string const& op,
                    std::optional<DType> type) {
  Tensors tensors;
  te::Buffer source = input;
  if (window.padded()) {
    tensors.stages.push_back(pad_stage(source, window, fill));
    source = tensors.stages.back().output;
  }
  std::vector<te::Axis> axes = pooled_axes(window, shape_of(input));
  std::vector<ir::Expr> indices = window_indices(window, axes[0].var(), axes[1].var());
  for (size_t i = indices.size(); i < axes.size(); ++i) indices.push_back(axes[i].var());
  ir::Expr body = ir::load(source, indices);
  if (type && *type != body.type()) body = ir::cast(*type, body);
  tensors.stages.push_back(te::reduce(name, axes, combiner, kernel_axes(window), body, op));
  tensors.outputs = {tensors.stages.back().output};
  return tensors;
}

ReferenceResult map_windows(NDArray const& x, Window const& window, DType type,
                            std::function<double(std::span<double const>, int64_t)> const& f) {
  TRY_ASSIGN(NDArray out, NDArray::create(type, pooled_shape(window, x.shape())));
  int64_t in_plane = element_count(window.in).value_or(0),
          out_plane = element_count(window.out).value_or(0);
  std::vector<double> elements;
  for (int64_t i = 0; i < out.size(); ++i) {
    elements.clear();
    for_each_in_window(window, i % out_plane, [&](int64_t at, int64_t) {
      if (at >= 0) elements.push_back(x.value_at(i / out_plane * in_plane + at));
    });
    out.set_value(i, f(elements, i % out_plane));
  }
  return std::vector{out};
}

}  // namespace tw::ops
