#include <fmt/format.h>

#include "engine/graph/shared/quantized.h"
#include "engine/graph/shared/window.h"

namespace tw::op_conv_integer {
namespace {

using namespace ops;

bool given(auto const& operands, size_t i) {
  if constexpr (requires { operands[i].empty(); })
    return i < operands.size() && !operands[i].empty();
  else
    return i < operands.size() && operands[i];
}

// ---- what it takes -----------------------------------------------------------------------

/// Of data, weights and result; zeros where they are plain.
struct ConvBlocks {
  LeadingBlocks data, weights, result;
};

std::optional<ConvBlocks> blocks_of(Arrangement const& arrangement) {
  auto data = leading_blocks(arrangement.input(0)), weights = leading_blocks(arrangement.input(1)),
       result = leading_blocks(arrangement.output(0));
  if (!data || !weights || !result) return std::nullopt;
  return ConvBlocks{*data, *weights, *result};
}

/// Everything is in blocks of channels: those of the weights are those of the result and the data.
bool fit_together(ConvBlocks const& blocks) {
  return blocks.data.second > 0 && blocks.data.second == blocks.weights.second &&
         blocks.result.second == blocks.weights.first && blocks.result.second > 0 &&
         blocks.data.first == blocks.result.first;
}

Status takes(Attributes const& attributes, Arrangement const& arrangement) {
  if (arrangement.is_plain()) return {};
  auto blocks = blocks_of(arrangement);
  bool zeros = arrangement.inputs.size() > 2;
  if (!blocks || !fit_together(*blocks) || zeros)
    return not_taken(
        "an integer convolution without zero points takes blocks on both sides: data and result "
        "ABCD16b or ABCD4a16b, weights ABCD16a16b");
  int64_t groups = integer(attributes, "group", 1);
  Shape const& weights = arrangement.inputs[1].shape;
  bool whole =
      weights[0] / groups % blocks->weights.first == 0 && weights[1] % blocks->weights.second == 0;
  if (groups == 1 || whole) return {};
  return not_taken(fmt::format("{} groups of {} channels are not whole blocks of {}", groups,
                               weights[1], blocks->weights.second));
}

Status check_zero(Infos inputs, size_t i, size_t of, int64_t outputs) {
  if (!given(inputs, i)) return {};
  Shape const& shape = inputs[i]->shape;
  bool fits = shape.empty() || shape == Shape{1} || (i == 3 && shape == Shape{outputs});
  if (fits && inputs[i]->type == inputs[of]->type) return {};
  return unfit(fmt::format("a zero point of shape {} and type {}", to_text(shape),
                           to_text(inputs[i]->type)));
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 4));
  TensorInfo const &x = *inputs[0], &w = *inputs[1];
  TRY_ASSIGN(Window window, window_of(attributes, x.shape));
  if (!is_byte(x.type) || !is_byte(w.type))
    return unfit("an integer convolution needs data and weights of i8 or u8");
  if (w.shape.size() != x.shape.size() ||
      Shape(w.shape.begin() + 2, w.shape.end()) != window.kernel)
    return unfit(fmt::format("weights of shape {} do not fit a kernel of {}", to_text(w.shape),
                             to_text(window.kernel)));
  int64_t groups = integer(attributes, "group", 1);
  if (groups < 1 || w.shape[0] % groups != 0 || x.shape[1] % groups != 0 ||
      w.shape[1] != x.shape[1] / groups)
    return unfit(fmt::format("weights of shape {} do not fit {} channels in {} groups",
                             to_text(w.shape), x.shape[1], groups));
  TRY(check_zero(inputs, 2, 0, w.shape[0]));
  TRY(check_zero(inputs, 3, 1, w.shape[0]));
  Shape out{x.shape[0], w.shape[0]};
  out.insert(out.end(), window.out.begin(), window.out.end());
  return one(DType::kI32, out);
}

// ---- the expression ----------------------------------------------------------------------

/// Zero point of an output channel, or of all; null: it is zero.
ir::Expr zero_of(Buffers inputs, size_t i, ir::Expr const& channel) {
  if (!given(inputs, i)) return {};
  Shape shape = shape_of(inputs[i]);
  std::vector<ir::Expr> at;
  if (!shape.empty()) at.push_back(shape[0] == 1 ? ir::int_imm(0) : channel);
  return ir::load(inputs[i], at);
}

ir::Expr widened(ir::Expr const& element, ir::Expr const& zero) {
  ir::Expr wide = ir::cast(DType::kI32, element);
  return zero ? wide - ir::cast(DType::kI32, zero) : wide;
}

/// n, o, spatial, and behind them the blocks: a of images, b of channels.
std::vector<te::Axis> result_axes(Window const& window, Shape const& stored) {
  std::vector<te::Axis> axes{{"n", stored[0], "batch"}, {"o", stored[1], "out_channel"}};
  for (te::Axis const& axis : spatial_axes(window)) axes.push_back(axis);
  for (te::Axis const& axis : block_axes(stored, axes.size())) axes.push_back(axis);
  return axes;
}

/// What is read at channel `c` of the group that output channel `o` is in; all counted in blocks.
/// A sum of axes wherever a group has one block of outputs.
ir::Expr input_channel(ir::Expr o, ir::Expr c, int64_t outputs, int64_t channels, int64_t groups) {
  if (groups == 1) return c;
  ir::Expr group = outputs == groups ? o : ir::floor_div(o, ir::int_imm(outputs / groups));
  return channels == 1 ? group : group * channels + c;
}

/// Y[n, o, y, x, a, b] = sum over c, r, s, ci of
///   X[n, c, y*stride + r, x*stride + s, a, ci] * W[o, c, r, s, b, ci]
/// Plain: the same without a, b and ci.
Result<Tensors> direct(Attributes const& attributes, Arrangement const& arrangement, Buffers inputs,
                       std::string const& name) {
  ConvBlocks blocks = *blocks_of(arrangement);
  TRY_ASSIGN(Window window, window_of(attributes, arrangement.inputs[0].shape));
  Shape const &shape = arrangement.inputs[0].shape, weights = shape_of(inputs[1]);
  Shape logical{shape[0], arrangement.inputs[1].shape[0]};
  logical.insert(logical.end(), window.out.begin(), window.out.end());
  std::vector<te::Axis> axes =
      result_axes(window, leading_layout(logical.size(), blocks.result).stored(logical));
  std::vector<te::Axis> over{{"c", weights[1], "in_channel"}}, taps = kernel_axes(window);
  over.insert(over.end(), taps.begin(), taps.end());
  ir::Expr o = axes[1].var(), c = over[0].var();
  ir::Expr channel = input_channel(o, c, weights[0], weights[1], integer(attributes, "group", 1));
  std::vector<ir::Expr> data = window_indices(window, axes[0].var(), channel), at{o, c};
  for (te::Axis const& tap : taps) at.push_back(tap.var());
  if (blocks.data.first > 0) data.push_back(axes[axes.size() - 2].var());
  if (blocks.data.second > 0) {
    over.push_back({"ci", blocks.data.second, "in_block"});
    data.push_back(over.back().var());
    at.insert(at.end(), {axes.back().var(), over.back().var()});
  }
  Tensors tensors;
  te::Buffer source = inputs[0];
  ir::Expr zero = zero_of(inputs, 2, o);
  if (window.padded()) {
    tensors.stages.push_back(pad_stage(source, window, zero ? zero : immediate(0, source->type)));
    source = tensors.stages.back().output;
  }
  ir::Expr product = widened(ir::load(source, data), zero) *
                     widened(ir::load(inputs[1], at), zero_of(inputs, 3, o));
  tensors.stages.push_back(te::reduce(name, axes, te::Combiner::kSum, over, product, name));
  tensors.outputs = {tensors.stages.back().output};
  return tensors;
}

// ---- the reference -----------------------------------------------------------------------

/// Elements without their zero point, which is one for all or one per row of `rows`.
std::vector<int32_t> without_zero(Arrays inputs, size_t which, size_t zero) {
  NDArray const& array = inputs[which];
  std::vector<int32_t> elements(size_t(array.size()));
  int64_t rows = given(inputs, zero) ? inputs[zero].size() : 1;
  int64_t inner = std::max<int64_t>(1, array.size() / std::max<int64_t>(1, rows));
  bool is_signed_byte = array.type() == DType::kI8;
  for (size_t i = 0; i < elements.size(); ++i) {
    int32_t from = given(inputs, zero) ? int32_t(inputs[zero].value_at(int64_t(i) / inner)) : 0;
    int32_t own = is_signed_byte ? array.as<int8_t>()[i] : array.as<uint8_t>()[i];
    elements[i] = own - from;
  }
  return elements;
}

/// Adds one weight times one input plane to one output plane; `at` is where each output reads, -1
/// on the padding.
void accumulate(std::vector<int64_t> const& at, int32_t const* plane, int32_t weight,
                uint32_t* out) {
  if (weight == 0) return;
  for (size_t i = 0; i < at.size(); ++i)
    if (at[i] >= 0) out[i] += uint32_t(weight) * uint32_t(plane[at[i]]);
}

/// Per tap of the kernel: where each output reads.
std::vector<std::vector<int64_t>> places(Window const& window) {
  size_t outputs = size_t(element_count(window.out).value_or(0));
  std::vector<std::vector<int64_t>> at(size_t(element_count(window.kernel).value_or(0)),
                                       std::vector<int64_t>(outputs));
  for (size_t i = 0; i < outputs; ++i)
    for_each_in_window(window, int64_t(i),
                       [&](int64_t place, int64_t tap) { at[size_t(tap)][i] = place; });
  return at;
}

/// Sums wrap, as those of the kernel do.
ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  Shape const &x = inputs[0].shape(), &w = inputs[1].shape();
  TRY_ASSIGN(Window window, window_of(attributes, x));
  Shape shape{x[0], w[0]};
  shape.insert(shape.end(), window.out.begin(), window.out.end());
  TRY_ASSIGN(NDArray out, NDArray::create(DType::kI32, shape));
  std::vector<int32_t> data = without_zero(inputs, 0, 2), weights = without_zero(inputs, 1, 3);
  std::vector<std::vector<int64_t>> at = places(window);
  int64_t groups = integer(attributes, "group", 1), per_group = w[0] / groups;
  int64_t in_plane = element_count(window.in).value_or(0);
  size_t out_plane = size_t(element_count(window.out).value_or(0));
  std::vector<uint32_t> sums(out_plane);
  for (int64_t row = 0; row < x[0] * w[0]; ++row) {
    int64_t n = row / w[0], o = row % w[0];
    std::ranges::fill(sums, 0);
    for (int64_t c = 0; c < w[1]; ++c)
      for (size_t tap = 0; tap < at.size(); ++tap)
        accumulate(at[tap], data.data() + (n * x[1] + o / per_group * w[1] + c) * in_plane,
                   weights[size_t(o * w[1] + c) * at.size() + tap], sums.data());
    for (size_t i = 0; i < out_plane; ++i)
      out.as<int32_t>()[size_t(row) * out_plane + i] = int32_t(sums[i]);
  }
  return std::vector{out};
}

// ---- random cases ------------------------------------------------------------------------

/// Puts it into blocks, whole ones where there are groups.
void choose_random_blocks(Rng& rng, RandomCase& c, bool whole, int64_t outputs, int64_t channels) {
  int64_t out_block = whole ? outputs : rng.between(1, 4);
  int64_t in_block = whole ? channels : rng.between(1, 4);
  int64_t images = rng.below(2) ? 0 : rng.between(1, 3);
  size_t rank = c.inputs[0].shape().size();
  c.layouts = {leading_layout(rank, {images, in_block}),
               leading_layout(rank, {out_block, in_block})};
  c.result_layouts = {leading_layout(rank, {images, out_block})};
}

RandomCase random_case(Rng& rng) {
  constexpr DType kTypes[] = {DType::kI8, DType::kU8};
  size_t rank = size_t(rng.between(1, 3));
  std::vector<int64_t> in = random_shape(rng, rank, rank == 3 ? 4 : 7);
  RandomCase result{random_window(rng, in, false), {}};
  int64_t groups = rng.between(1, 3), per_group = rng.between(1, 3), outputs = rng.between(1, 3);
  result.attributes["group"] = groups;
  Shape x{rng.between(1, 3), groups * per_group}, w{groups * outputs, per_group};
  x.insert(x.end(), in.begin(), in.end());
  for (int64_t k : integers(result.attributes, "kernel")) w.push_back(k);
  DType type = kTypes[rng.below(2)], weight_type = kTypes[rng.below(2)];
  result.inputs = {random_bytes(rng, x, type), random_bytes(rng, w, weight_type)};
  if (rng.below(2)) {
    choose_random_blocks(rng, result, groups > 1, outputs, per_group);
    return result;
  }
  if (rng.below(2)) result.inputs.push_back(random_bytes(rng, {}, type));
  if (result.inputs.size() == 3 && rng.below(2))
    result.inputs.push_back(
        random_bytes(rng, rng.below(2) ? Shape{groups * outputs} : Shape{}, weight_type));
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "conv_integer",
      .doc =
          "Convolution of bytes N x C x spatial with weights O x C/group x kernel, summed up in "
          "i32; a zero point is what stands for 0.",
      .fusion = Fusion::kComplexOutFusable,
      .inputs = {"X", "W", "x_zero", "w_zero"},
      .attributes = {{"kernel", "extents of the kernel"},
                     {"strides", "steps between windows (strides)"},
                     {"dilations", "steps inside a window (dilations)"},
                     {"pads", "padding with the zero point before each axis, then after each"},
                     {"auto_pad", "same_upper, same_lower or valid instead of pads"},
                     {"group", "number of channel groups that are computed independently"}},
      .infer = infer,
      .computes = {{.name = "direct",
                    .doc = "every output sums over its window; images, channels and those of the "
                           "weights on both sides may be stored in blocks",
                    .takes = takes,
                    .make = direct}},
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_conv_integer
