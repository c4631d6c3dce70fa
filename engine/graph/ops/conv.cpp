#include <fmt/format.h>

#include <cstring>

#include "engine/graph/computes.h"
#include "engine/graph/shared/window.h"
#include "engine/graph/shared/winograd.h"

namespace tw::op_conv {
namespace {

using namespace ops;

/// How many channels lie side by side in each tensor; 0: it is plain.
struct Blocks {
  int64_t data, weights, result;
};

/// Empty: a tensor lies in another way than in blocks of its channels, which of the weights are
/// those of the result.
std::optional<Blocks> blocks_of(Arrangement const& arrangement) {
  auto data = arrangement.input(0).only_block(1), weights = arrangement.input(1).only_block(0),
       result = arrangement.output(0).only_block(1);
  if (!data || !weights || !result || !arrangement.input(2).is_plain()) return std::nullopt;
  return Blocks{*data, *weights, *result};
}

/// The result lies in blocks as the weights do, whole ones; data in blocks is for a dense or a
/// depthwise convolution.
Status direct_takes(Attributes const& attributes, Arrangement const& arrangement) {
  if (arrangement.is_plain()) return {};
  std::optional<Blocks> blocks = blocks_of(arrangement);
  if (!blocks || arrangement.inputs[0].shape.size() < 2 || arrangement.inputs[1].shape.empty())
    return not_taken(
        "a convolution takes layouts with blocks of channels: ABCD16b, and ABCD16a for weights");
  int64_t groups = integer(attributes, "group", 1);
  Shape const &x = arrangement.inputs[0].shape, &w = arrangement.inputs[1].shape;
  bool depthwise = groups > 1 && w[0] == groups && x[1] == groups && blocks->data == blocks->result;
  bool fits = groups == 1 || depthwise;
  bool result = blocks->result == 0 ||
                (fits && blocks->result == blocks->weights && w[0] % blocks->result == 0);
  if ((blocks->data == 0 || fits) && result) return {};
  return not_taken(
      fmt::format("a convolution in {} groups with blocks of {} channels, {} weights, {} results",
                  groups, blocks->data, blocks->weights, blocks->result));
}

Status product_takes(Attributes const& attributes, Arrangement const& arrangement) {
  if (integer(attributes, "group", 1) != 1)
    return not_taken("a single matrix product is only possible for a convolution with one group");
  return takes_plain(attributes, arrangement);
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 3));
  TensorInfo x = *inputs[0], w = *inputs[1];
  TRY_ASSIGN(Window window, window_of(attributes, x.shape));
  bool other_bias = inputs.size() > 2 && inputs[2] && inputs[2]->type != x.type;
  if (!is_float(x.type) || w.type != x.type || other_bias)
    return unfit("a convolution needs floats of one type");
  if (w.shape.size() != x.shape.size() ||
      Shape(w.shape.begin() + 2, w.shape.end()) != window.kernel)
    return unfit(fmt::format("weights of shape {} do not fit a kernel of {}", to_text(w.shape),
                             to_text(window.kernel)));
  int64_t groups = integer(attributes, "group", 1);
  if (groups < 1 || w.shape[0] % groups != 0 || x.shape[1] % groups != 0 ||
      w.shape[1] != x.shape[1] / groups)
    return unfit(fmt::format("weights of shape {} do not fit {} channels in {} groups",
                             to_text(w.shape), x.shape[1], groups));
  if (inputs.size() > 2 && inputs[2] && inputs[2]->shape != Shape{w.shape[0]})
    return unfit(fmt::format("a bias of shape {} for {} output channels", to_text(inputs[2]->shape),
                             w.shape[0]));
  Shape out{x.shape[0], w.shape[0]};
  out.insert(out.end(), window.out.begin(), window.out.end());
  return one(x.type, out);
}

/// The channel of the input that output channel `o` reads at position `c` of its group.
ir::Expr input_channel(ir::Expr o, ir::Expr c, int64_t outputs_per_group, int64_t inputs_per_group,
                       int64_t groups) {
  if (groups == 1) return c;
  ir::Expr group = outputs_per_group == 1 ? o : ir::floor_div(o, ir::int_imm(outputs_per_group));
  return inputs_per_group == 1 ? group : group * inputs_per_group + c;
}

/// Axes of the output: n, o, spatial, and b where it is in blocks.
std::vector<te::Axis> result_axes(Window const& window, Blocks const& blocks, int64_t batch,
                                  int64_t outputs) {
  std::vector<te::Axis> axes{{"n", batch, "batch"},
                             {"o", outputs / std::max<int64_t>(1, blocks.result), "out_channel"}};
  for (te::Axis const& axis : spatial_axes(window)) axes.push_back(axis);
  if (blocks.result > 0) axes.push_back({"b", blocks.result, "block"});
  return axes;
}

/// Taps of the window, the first ones left out: where their weights are.
std::vector<ir::Expr> tap_indices(std::vector<te::Axis> const& taps,
                                  std::vector<int64_t> const& dropped) {
  std::vector<ir::Expr> indices = te::vars(taps);
  for (size_t i = 0; i < dropped.size(); ++i)
    if (dropped[i] > 0) indices[i] = indices[i] + dropped[i];
  return indices;
}

/// The weight of an output at `axes` and an input channel: plain or in blocks.
std::vector<ir::Expr> weight_indices(std::vector<te::Axis> const& axes,
                                     std::vector<ir::Expr> const& taps, Blocks const& blocks,
                                     ir::Expr const& c) {
  ir::Expr o = axes[1].var();
  std::vector<ir::Expr> indices{o, c};
  indices.insert(indices.end(), taps.begin(), taps.end());
  if (blocks.result > 0) {
    indices.push_back(axes.back().var());
  } else if (blocks.weights > 0) {
    indices[0] = ir::floor_div(o, ir::int_imm(blocks.weights));
    indices.push_back(ir::floor_mod(o, ir::int_imm(blocks.weights)));
  }
  return indices;
}

/// Adds the padding of `input`, if there is one; what the windows are read from.
te::Buffer padded(te::Buffer const& input, Window const& window, Tensors& tensors) {
  if (!window.padded()) return input;
  tensors.stages.push_back(pad_stage(input, window, immediate(0, input->type)));
  return tensors.stages.back().output;
}

/// Adds the bias, if there is one, to the last stage, and makes it the output.
void finish(Buffers inputs, std::vector<te::Axis> const& axes, ir::Expr const& channel,
            Tensors& tensors) {
  if (inputs.size() > 2 && inputs[2]) {
    ir::Expr sum =
        ir::load(tensors.stages.back().output, te::vars(axes)) + ir::load(inputs[2], {channel});
    tensors.stages.push_back(te::compute("bias_add", axes, sum, "bias_add"));
  }
  tensors.outputs = {tensors.stages.back().output};
}

Result<Tensors> direct(Attributes const& attributes, Arrangement const& arrangement, Buffers inputs,
                       std::string const& name) {
  Blocks blocks = *blocks_of(arrangement);
  Shape const &shape = arrangement.inputs[0].shape, &weights = arrangement.inputs[1].shape;
  TRY_ASSIGN(Window window, window_of(attributes, shape));
  std::vector<int64_t> dropped = drop_taps_on_padding(window);
  int64_t groups = integer(attributes, "group", 1);
  Tensors tensors;
  te::Buffer source = padded(inputs[0], window, tensors);
  std::vector<te::Axis> axes = result_axes(window, blocks, shape[0], weights[0]);
  std::vector<te::Axis> over, taps = kernel_axes(window);
  bool one_channel = weights[1] == 1 && groups > 1;
  if (!one_channel) over.push_back({"c", weights[1], "in_channel"});
  ir::Expr c = one_channel ? ir::int_imm(0) : over[0].var();
  over.insert(over.end(), taps.begin(), taps.end());
  ir::Expr channel = input_channel(axes[1].var(), c, weights[0] / groups, weights[1], groups);
  if (blocks.data > 0 && !one_channel) channel = ir::floor_div(c, ir::int_imm(blocks.data));
  std::vector<ir::Expr> data = window_indices(window, axes[0].var(), channel);
  if (blocks.data > 0)
    data.push_back(one_channel ? axes.back().var() : ir::floor_mod(c, ir::int_imm(blocks.data)));
  ir::Expr product =
      ir::load(source, data) *
      ir::load(inputs[1], weight_indices(axes, tap_indices(taps, dropped), blocks, c));
  tensors.stages.push_back(te::reduce(name, axes, te::Combiner::kSum, over, product, name));
  ir::Expr o = axes[1].var();
  if (blocks.result > 0) o = o * blocks.result + axes.back().var();
  finish(inputs, axes, o, tensors);
  return tensors;
}

/// The windows side by side as the columns of a matrix, which the weights are multiplied with.
/// Source: Chellapilla, Puri, Simard 2006, "High Performance Convolutional Neural Networks for
/// Document Processing", §3.
Result<Tensors> product(Attributes const& attributes, Arrangement const& arrangement,
                        Buffers inputs, std::string const& name) {
  Shape const &shape = arrangement.inputs[0].shape, &weights = arrangement.inputs[1].shape;
  TRY_ASSIGN(Window window, window_of(attributes, shape));
  Tensors tensors;
  te::Buffer source = padded(inputs[0], window, tensors);
  std::vector<te::Axis> axes = result_axes(window, Blocks{0, 0, 0}, shape[0], weights[0]);
  std::vector<te::Axis> over{{"c", weights[1], "in_channel"}}, taps = kernel_axes(window);
  over.insert(over.end(), taps.begin(), taps.end());
  std::vector<te::Axis> columns{axes[0]};
  columns.insert(columns.end(), over.begin(), over.end());
  columns.insert(columns.end(), axes.begin() + 2, axes.end());
  ir::Expr element = ir::load(source, window_indices(window, axes[0].var(), over[0].var()));
  tensors.stages.push_back(te::compute("columns", columns, element, "columns"));
  ir::Expr sum =
      ir::load(tensors.stages.back().output, te::vars(columns)) *
      ir::load(inputs[1], weight_indices(axes, te::vars(taps), Blocks{0, 0, 0}, over[0].var()));
  tensors.stages.push_back(te::reduce(name, axes, te::Combiner::kSum, over, sum, name));
  finish(inputs, axes, axes[1].var(), tensors);
  return tensors;
}

template <int64_t kOutputs>
Status transformed_takes(Attributes const& attributes, Arrangement const& arrangement) {
  TRY(product_takes(attributes, arrangement));
  Shape image = arrangement.inputs.empty() ? Shape() : arrangement.inputs[0].shape;
  if (auto tiles = winograd_tiles(kOutputs, attributes, image); !tiles)
    return not_taken(tiles.error().message);
  return {};
}

/// Tiles and weights are transformed, multiplied place by place, and turned back.
/// Source: Lavin, Gray 2015, "Fast Algorithms for Convolutional Neural Networks".
template <int64_t kOutputs>
Result<Tensors> transformed(Attributes const& attributes, Arrangement const& arrangement,
                            Buffers inputs, std::string const& name) {
  if (size_of(inputs[0]->type) < 4)
    return unsupported("transformed tiles in numbers of less than 32 bits, which lose too much");
  TRY_ASSIGN(WinogradTiles tiles,
             winograd_tiles(kOutputs, attributes, arrangement.inputs[0].shape));
  Tensors tensors = winograd_weights(kOutputs, inputs[1], name + "_weights");
  auto add = [&](Tensors const& more) {
    tensors.stages.insert(tensors.stages.end(), more.stages.begin(), more.stages.end());
    return tensors.stages.back().output;
  };
  te::Buffer weights = tensors.outputs[0],
             input = add(winograd_input(tiles, inputs[0], name + "_input"));
  Shape const& shape = arrangement.inputs[1].shape;
  std::vector<te::Axis> axes{
      {"t", tiles.places()}, {"o", shape[0], "out_channel"}, {"p", tiles.count()}};
  te::Axis c{"c", shape[1], "in_channel"};
  ir::Expr product = ir::load(weights, {axes[0].var(), axes[1].var(), c.var()}) *
                     ir::load(input, {axes[0].var(), c.var(), axes[2].var()});
  tensors.stages.push_back(te::reduce(name, axes, te::Combiner::kSum, {c}, product, name));
  te::Buffer bias = inputs.size() > 2 ? inputs[2] : nullptr;
  tensors.outputs = {
      add(winograd_output(tiles, tensors.stages.back().output, bias, name + "_output"))};
  return tensors;
}

/// Adds one weight times one input plane to one output plane, row by row.
template <typename T>
void accumulate(Window const& w, T const* in, std::vector<int64_t> const& k, T weight, T* out) {
  size_t last = w.rank() - 1;
  int64_t offset = k[last] * w.dilations[last] - w.before[last], stride = w.strides[last];
  int64_t first = offset < 0 ? (-offset + stride - 1) / stride : 0;
  int64_t reach = w.in[last] - 1 - offset;
  int64_t end = reach < 0 ? 0 : std::min(w.out[last], reach / stride + 1);
  int64_t rows = element_count(Shape(w.out.begin(), w.out.end() - 1)).value_or(0);
  for (int64_t row = 0; row < rows; ++row, out += w.out[last]) {
    int64_t rest = row, source = 0, step = 1;
    bool inside = true;
    for (size_t i = last; i > 0; --i) {
      int64_t at =
          rest % w.out[i - 1] * w.strides[i - 1] + k[i - 1] * w.dilations[i - 1] - w.before[i - 1];
      rest /= w.out[i - 1];
      inside = inside && at >= 0 && at < w.in[i - 1];
      source += at * step;
      step *= w.in[i - 1];
    }
    if (!inside) continue;
    T const* from = in + source * w.in[last] + offset;
    for (int64_t x = first; x < end; ++x) out[x] += weight * from[x * stride];
  }
}

template <typename T>
void convolve(Window const& w, int64_t groups, NDArray const& x, NDArray const& weights,
              NDArray const& bias, NDArray& out) {
  int64_t outputs = weights.shape()[0], channels = weights.shape()[1];
  int64_t in_plane = element_count(w.in).value_or(0), out_plane = element_count(w.out).value_or(0);
  int64_t taps = element_count(w.kernel).value_or(0);
  T const* weight = weights.as<T>().data();
  for (int64_t n = 0; n < x.shape()[0]; ++n)
    for (int64_t o = 0; o < outputs; ++o) {
      T* to = out.as<T>().data() + (n * outputs + o) * out_plane;
      std::fill(to, to + out_plane, bias.empty() ? T(0) : bias.as<T>()[size_t(o)]);
      for (int64_t c = 0; c < channels; ++c) {
        int64_t channel = o / (outputs / groups) * channels + c;
        T const* from = x.as<T>().data() + (n * x.shape()[1] + channel) * in_plane;
        std::vector<int64_t> k(w.rank(), 0);
        for (int64_t tap = 0; tap < taps; ++tap) {
          accumulate(w, from, k, weight[(o * channels + c) * taps + tap], to);
          for (size_t i = w.rank(); i > 0 && ++k[i - 1] == w.kernel[i - 1]; --i) k[i - 1] = 0;
        }
      }
    }
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const &data = inputs[0], &weights = inputs[1];
  TRY_ASSIGN(Window window, window_of(attributes, data.shape()));
  Shape shape{data.shape()[0], weights.shape()[0]};
  shape.insert(shape.end(), window.out.begin(), window.out.end());
  TRY_ASSIGN(NDArray out, NDArray::create(data.type(), shape));
  NDArray bias = inputs.size() > 2 ? inputs[2] : NDArray();
  int64_t groups = integer(attributes, "group", 1);
  if (out.type() == DType::kF32)
    convolve<float>(window, groups, data, weights, bias, out);
  else if (out.type() == DType::kF64)
    convolve<double>(window, groups, data, weights, bias, out);
  else
    return unsupported(fmt::format("a convolution of {}", to_text(out.type())));
  return std::vector{out};
}

/// Puts a dense or depthwise convolution of `c` into blocks: its weights, then perhaps data and
/// result.
void choose_random_blocks(Rng& rng, bool depthwise, RandomCase& c) {
  size_t rank = c.inputs[0].shape().size();
  int64_t block = rng.between(1, 3);
  bool result = c.inputs[1].shape()[0] % block == 0 && rng.below(2);
  bool data = depthwise ? result : rng.below(2);
  c.layouts = {Layout(), Layout::in_blocks(rank, 0, block)};
  if (data) c.layouts[0] = Layout::in_blocks(rank, 1, depthwise ? block : rng.between(1, 3));
  if (result) c.result_layouts = {Layout::in_blocks(rank, 1, block)};
}

/// Images of any extents and padding, in one group.
RandomCase random_transformed(Rng& rng) {
  int64_t channels = rng.between(1, 5), outputs = rng.between(1, 5);
  std::vector<int64_t> pads;
  for (int side = 0; side < 4; ++side) pads.push_back(rng.between(0, 2));
  auto extent = [&](size_t dim) {
    return rng.between(std::max<int64_t>(1, 3 - pads[dim] - pads[dim + 2]), 11);
  };
  RandomCase result{{{"kernel", std::vector<int64_t>{3, 3}}, {"pads", pads}}, {}};
  Shape x{rng.between(1, 3), channels, extent(0), extent(1)};
  result.inputs = {random_array(rng, x), random_array(rng, {outputs, channels, 3, 3})};
  if (rng.below(2)) result.inputs.push_back(random_array(rng, {outputs}));
  result.algorithm = rng.below(2) ? "winograd_2x2" : "winograd_4x4";
  return result;
}

RandomCase random_case(Rng& rng) {
  if (rng.below(5) == 0) return random_transformed(rng);
  size_t rank = size_t(rng.between(1, 3));
  std::vector<int64_t> in = random_shape(rng, rank, rank == 3 ? 4 : 7);
  RandomCase result{random_window(rng, in, false), {}};
  bool one_each = rng.below(3) == 0;
  int64_t groups = rng.between(1, 3), per_group = one_each ? 1 : rng.between(1, 3);
  int64_t outputs = groups * rng.between(1, 2);
  result.attributes["group"] = groups;
  Shape x{rng.between(1, 2), groups * per_group}, w{outputs, per_group};
  x.insert(x.end(), in.begin(), in.end());
  for (int64_t k : integers(result.attributes, "kernel")) w.push_back(k);
  result.inputs = {random_array(rng, x), random_array(rng, w)};
  if (rng.below(2)) result.inputs.push_back(random_array(rng, {outputs}));
  bool depthwise = groups > 1 && outputs == groups && per_group == 1;
  if ((groups == 1 || depthwise) && rng.below(3) == 0)
    choose_random_blocks(rng, depthwise, result);
  else if (groups == 1 && rng.below(3) == 0)
    result.algorithm = "im2col";
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "conv",
      .doc =
          "Convolution of N x C x spatial with weights O x C/group x kernel, and an optional bias "
          "per output channel.",
      .fusion = Fusion::kComplexOutFusable,
      .inputs = {"X", "W", "B"},
      .attributes = {{"kernel", "extents of the kernel"},
                     {"strides", "steps between windows (strides)"},
                     {"dilations", "steps inside a window (dilations)"},
                     {"pads", "zero padding before each axis, then after each"},
                     {"auto_pad", "same_upper, same_lower or valid instead of pads"},
                     {"group", "number of channel groups that are computed independently"}},
      .infer = infer,
      .computes = {{.name = "direct",
                    .doc = "every output sums over its window; channels may be stored in blocks",
                    .takes = direct_takes,
                    .make = direct},
                   {.name = "im2col",
                    .doc = "the windows become columns of a matrix (im2col), which a single matrix "
                           "product multiplies",
                    .takes = product_takes,
                    .make = product},
                   {.name = "winograd_2x2",
                    .doc = "3x3, stride 1: tiles of 2x2 results by transforms (Winograd), which "
                           "need 2.25 times fewer multiplications",
                    .takes = transformed_takes<2>,
                    .make = transformed<2>},
                   {.name = "winograd_4x4",
                    .doc = "the same with tiles of 4x4 results: 4 times fewer multiplications, and "
                           "errors of rounding that are larger",
                    .takes = transformed_takes<4>,
                    .make = transformed<4>}},
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_conv
