#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/shared/window.h"

namespace tw::op_conv_transpose {
namespace {

using namespace ops;

constexpr int64_t kMost = int64_t(1) << 20;  // larger numbers are damage

/// The extents of a transposed convolution: output element i*stride + k*dilation - before receives
/// input element i times weight k.
struct Spread {
  std::vector<int64_t> in, out, kernel, strides, dilations, before;
  int64_t groups = 1, channels = 1, outputs = 1;  ///< channels and outputs: of one group
  size_t rank() const { return in.size(); }
  /// Rows of zeros in front of the spread input, so that every window lies inside of it.
  int64_t front(size_t i) const { return (kernel[i] - 1) * dilations[i] - before[i]; }
};

/// A list of one entry per spatial axis, or `otherwise` for each.
Result<std::vector<int64_t>> entries(Attributes const& attributes, char const* name, size_t count,
                                     int64_t least, int64_t otherwise) {
  std::vector<int64_t> list = integers(attributes, name);
  if (list.empty()) list.assign(count, otherwise);
  if (list.size() != count)
    return unfit(fmt::format("{} has {} entries, {} are needed", name, list.size(), count));
  for (int64_t entry : list)
    if (entry < least || entry > kMost)
      return unfit(fmt::format("{} has the entry {}", name, entry));
  return list;
}

/// Padding and output extents; both follow from a given output shape.
Status set_extents(Attributes const& attributes, Spread& s) {
  TRY_ASSIGN(std::vector<int64_t> extra, entries(attributes, "output_padding", s.rank(), 0, 0));
  TRY_ASSIGN(std::vector<int64_t> pads, entries(attributes, "pads", 2 * s.rank(), 0, 0));
  std::vector<int64_t> wanted = integers(attributes, "output_shape");
  std::string same = text(attributes, "auto_pad");
  for (size_t i = 0; i < s.rank(); ++i) {
    int64_t whole =
        s.strides[i] * (s.in[i] - 1) + extra[i] + (s.kernel[i] - 1) * s.dilations[i] + 1;
    int64_t before = same == "valid" ? 0 : pads[i];
    int64_t out = same == "valid" ? whole : whole - before - pads[i + s.rank()];
    bool by_stride = wanted.empty() && (same == "same_upper" || same == "same_lower");
    if (by_stride || wanted.size() == s.rank()) {
      // SAME cuts off; where a window is shorter than its stride, nothing is there to be cut.
      out = by_stride ? std::min(whole, s.in[i] * s.strides[i]) : wanted[i];
      int64_t total = std::max<int64_t>(0, whole - out);
      before = same == "same_upper" ? total / 2 : total - total / 2;
    }
    s.before.push_back(before);
    s.out.push_back(out);
    if (s.out[i] < 1 || s.out[i] > kMost)
      return unfit(fmt::format("a transposed convolution of extent {} to {}", s.in[i], s.out[i]));
  }
  return {};
}

Result<Spread> spread_of(Attributes const& attributes, Shape const& x, Shape const& w) {
  if (x.size() < 3 || w.size() != x.size())
    return unfit(
        fmt::format("weights of shape {} for a tensor of shape {}", to_text(w), to_text(x)));
  Spread s;
  s.in.assign(x.begin() + 2, x.end());
  s.kernel.assign(w.begin() + 2, w.end());
  TRY_ASSIGN(s.strides, entries(attributes, "strides", s.rank(), 1, 1));
  TRY_ASSIGN(s.dilations, entries(attributes, "dilations", s.rank(), 1, 1));
  s.groups = integer(attributes, "group", 1);
  if (s.groups < 1 || w[0] != x[1] || x[1] % s.groups != 0)
    return unfit(fmt::format("weights of shape {} do not fit {} channels in {} groups", to_text(w),
                             x[1], s.groups));
  s.channels = x[1] / s.groups;
  s.outputs = w[1];
  for (size_t i = 0; i < s.rank(); ++i)
    if (s.in[i] < 1 || s.kernel[i] < 1 || s.kernel[i] > kMost)
      return unfit(fmt::format("weights of shape {}", to_text(w)));
  if (auto told = integers(attributes, "kernel"); !told.empty() && told != s.kernel)
    return unfit(fmt::format("weights of shape {} do not fit a kernel of {}", to_text(w),
                             to_text(Shape(told))));
  TRY(set_extents(attributes, s));
  return s;
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 3));
  TensorInfo const &x = *inputs[0], &w = *inputs[1];
  bool other_bias = inputs.size() > 2 && inputs[2] && inputs[2]->type != x.type;
  if (!is_float(x.type) || w.type != x.type || other_bias)
    return unfit("a convolution needs floats of one type");
  TRY_ASSIGN(Spread s, spread_of(attributes, x.shape, w.shape));
  Shape out{x.shape[0], s.groups * s.outputs};
  if (inputs.size() > 2 && inputs[2] && inputs[2]->shape != Shape{out[1]})
    return unfit(fmt::format("a bias of shape {} for {} output channels", to_text(inputs[2]->shape),
                             out[1]));
  out.insert(out.end(), s.out.begin(), s.out.end());
  return one(x.type, out);
}

/// The input with stride-1 zeros between its elements, and zeros around: what follows is a plain
/// convolution.
te::Stage spread_stage(te::Buffer const& input, Spread const& s) {
  Shape shape = shape_of(input);
  for (size_t i = 0; i < s.rank(); ++i)
    shape[i + 2] = s.out[i] + (s.kernel[i] - 1) * s.dilations[i];
  std::vector<te::Axis> axes = output_axes(shape);
  std::vector<ir::Expr> indices{axes[0].var(), axes[1].var()};
  ir::Expr filled = ir::bool_imm(true);
  for (size_t i = 0; i < s.rank(); ++i) {
    ir::Expr at = axes[i + 2].var() - s.front(i), stride = ir::int_imm(s.strides[i]);
    filled = filled && 0 <= at && at < (s.in[i] - 1) * s.strides[i] + 1;
    if (s.strides[i] > 1)
      filled = filled && ir::binary(ir::BinaryOp::kEq, ir::floor_mod(at, stride), ir::int_imm(0));
    indices.push_back(ir::floor_div(at, stride));
  }
  return te::compute("spread", axes,
                     ir::select(filled, ir::load(input, indices), immediate(0, input->type)),
                     "spread");
}

/// As `Window`, for the names and roles of the axes.
Window window_like(Spread const& s) {
  Window w;
  w.kernel = s.kernel;
  w.out = s.out;
  return w;
}

int64_t product_of(std::vector<int64_t> const& list) { return element_count(list).value_or(0); }

/// Outputs at y with the same y mod stride, a phase, are a convolution of the input with every
/// stride-th tap, which begins (phase + before) / stride elements on. All phases together are one
/// convolution of `taps` taps without strides, whose channels are (phase, o).
struct Phases {
  std::vector<int64_t> taps, out;  ///< out: outputs of a phase
  std::vector<int64_t> shift;      ///< the first element that phase 0 begins at
  std::vector<int64_t> rest;       ///< before mod stride
  int64_t channels;                ///< output channels of one phase
  int64_t count = 1;               ///< phases
  int64_t block;                   ///< channels whose weights lie side by side

  explicit Phases(Spread const& s) : channels(s.groups * s.outputs) {
    for (size_t i = 0; i < s.rank(); ++i) {
      taps.push_back((s.kernel[i] + s.strides[i] - 1) / s.strides[i]);
      out.push_back((s.out[i] + s.strides[i] - 1) / s.strides[i]);
      shift.push_back(s.before[i] / s.strides[i]);
      rest.push_back(s.before[i] % s.strides[i]);
      count *= s.strides[i];
    }
    block = channels * count % kBlock == 0 ? kBlock : channels * count;
  }
  static constexpr int64_t kBlock = 16;  // f32 lanes of the widest vectors

  /// How much further than phase 0 a phase along axis `i` begins: 0 or 1.
  ir::Expr step(Spread const& s, size_t i, ir::Expr phase) const {
    if (rest[i] == 0) return ir::int_imm(0);
    // Two phases of two: affine, which every analysis understands.
    if (s.strides[i] == 2) return phase;
    return ir::floor_div(phase + rest[i], ir::int_imm(s.strides[i]));
  }
};

/// The phase along each axis, of the channel (phases, o).
std::vector<ir::Expr> phases_of(ir::Expr channel, Spread const& s, Phases const& phases) {
  std::vector<ir::Expr> list(s.rank());
  int64_t inner = phases.channels;
  for (size_t i = s.rank(); i-- > 0; inner *= s.strides[i]) {
    list[i] = ir::floor_div(channel, ir::int_imm(inner));
    if (i > 0) list[i] = ir::floor_mod(list[i], ir::int_imm(s.strides[i]));
  }
  return list;
}

/// The input with the zeros around it that windows of `taps` need.
te::Stage padded_input(te::Buffer const& input, Spread const& s, Phases const& phases) {
  Shape shape = shape_of(input);
  for (size_t i = 0; i < s.rank(); ++i)
    shape[i + 2] = phases.out[i] + phases.taps[i] - (phases.rest[i] == 0 ? 1 : 0);
  std::vector<te::Axis> axes = output_axes(shape);
  std::vector<ir::Expr> indices{axes[0].var(), axes[1].var()};
  ir::Expr inside = ir::bool_imm(true);
  for (size_t i = 0; i < s.rank(); ++i) {
    ir::Expr at = axes[i + 2].var() + (phases.shift[i] - (phases.taps[i] - 1));
    inside = inside && 0 <= at && at < s.in[i];
    indices.push_back(at);
  }
  return te::compute(
      "pad", axes, ir::select(inside, ir::load(input, indices), immediate(0, input->type)), "pad");
}

/// The weights of the convolution of all phases: blocks of (phases, o), c, taps, the channels of a
/// block. They depend on parameters alone: made once, when the model is loaded.
te::Stage phase_weights(te::Buffer const& weights, Spread const& s, Phases const& phases) {
  std::vector<te::Axis> axes{{"v", phases.channels * phases.count / phases.block, "out_channel"},
                             {"c", s.channels, "in_channel"}};
  Window window = window_like(s);
  window.kernel = phases.taps;
  for (te::Axis const& axis : kernel_axes(window)) axes.push_back(axis);
  axes.push_back({"b", phases.block, "out_channel"});
  ir::Expr channel = axes.front().var() * phases.block + axes.back().var();
  std::vector<ir::Expr> phase = phases_of(channel, s, phases);
  ir::Expr o = ir::floor_mod(channel, ir::int_imm(phases.channels)), c = axes[1].var();
  if (s.groups > 1) {
    c = ir::floor_div(o, ir::int_imm(s.outputs)) * s.channels + c;
    o = ir::floor_mod(o, ir::int_imm(s.outputs));
  }
  std::vector<ir::Expr> at{c, o};
  ir::Expr inside = ir::bool_imm(true);
  for (size_t i = 0; i < s.rank(); ++i) {
    // The kernel is read from its end: a tap reaches forward where a convolution looks back.
    ir::Expr first = ir::floor_mod(phase[i] + phases.rest[i], ir::int_imm(s.strides[i]));
    ir::Expr back = ir::int_imm(phases.taps[i] - 1) - axes[i + 2].var();
    at.push_back(first + back * s.strides[i]);
    if (phases.taps[i] * s.strides[i] > s.kernel[i]) inside = inside && at.back() < s.kernel[i];
  }
  ir::Expr read = ir::load(weights, at);
  return te::compute("phases", axes, ir::select(inside, read, immediate(0, weights->type)),
                     "phases");
}

/// The phases, back in the order of the outputs.
te::Stage interleaved(te::Buffer const& made, Spread const& s, Phases const& phases) {
  Window window = window_like(s);
  std::vector<te::Axis> axes{{"n", shape_of(made)[0], "batch"},
                             {"o", phases.channels, "out_channel"}};
  for (te::Axis const& axis : spatial_axes(window)) axes.push_back(axis);
  ir::Expr phase = ir::int_imm(0);
  std::vector<ir::Expr> at;
  for (size_t i = 0; i < s.rank(); ++i) {
    ir::Expr stride = ir::int_imm(s.strides[i]), y = axes[i + 2].var();
    phase = phase * s.strides[i] + ir::floor_mod(y, stride);
    at.push_back(ir::floor_div(y, stride));
  }
  at.insert(at.begin(), {axes[0].var(), phase * phases.channels + axes[1].var()});
  return te::compute("interleave", std::move(axes), ir::load(made, at), "interleave");
}

void convolve_phases(Spread const& s, te::Buffer const& input, te::Buffer const& weights,
                     std::string const& name, Tensors& tensors) {
  Phases phases(s);
  tensors.stages.push_back(padded_input(input, s, phases));
  tensors.stages.push_back(phase_weights(weights, s, phases));
  Window window = window_like(s);
  window.out = phases.out;
  window.kernel = phases.taps;
  std::vector<te::Axis> axes{{"n", shape_of(input)[0], "batch"},
                             {"v", phases.channels * phases.count, "out_channel"}};
  std::vector<te::Axis> over{{"c", s.channels, "in_channel"}};
  std::vector<ir::Expr> phase = phases_of(axes[1].var(), s, phases);
  ir::Expr c = over[0].var(), o = ir::floor_mod(axes[1].var(), ir::int_imm(phases.channels));
  if (s.groups > 1) c = ir::floor_div(o, ir::int_imm(s.outputs)) * s.channels + c;
  ir::Expr block = ir::int_imm(phases.block);
  std::vector<ir::Expr> at{axes[0].var(), c};
  std::vector<ir::Expr> weight{ir::floor_div(axes[1].var(), block), over[0].var()};
  for (te::Axis const& axis : spatial_axes(window)) axes.push_back(axis);
  for (te::Axis const& axis : kernel_axes(window)) {
    size_t i = over.size() - 1;
    over.push_back(axis);
    at.push_back(axes[i + 2].var() + axis.var() + phases.step(s, i, phase[i]));
    weight.push_back(axis.var());
  }
  weight.push_back(ir::floor_mod(axes[1].var(), block));
  ir::Expr product =
      ir::load(tensors.stages[0].output, at) * ir::load(tensors.stages[1].output, weight);
  tensors.stages.push_back(te::reduce(name, axes, te::Combiner::kSum, over, product, name));
  tensors.stages.push_back(interleaved(tensors.stages.back().output, s, phases));
}

/// The convolution of what the input has become by spreading.
void convolve_spread(Spread const& s, te::Buffer const& input, te::Buffer const& weights,
                     std::string const& name, Tensors& tensors) {
  tensors.stages.push_back(spread_stage(input, s));
  Window window = window_like(s);
  std::vector<te::Axis> axes{{"n", shape_of(input)[0], "batch"},
                             {"o", s.groups * s.outputs, "out_channel"}};
  for (te::Axis const& axis : spatial_axes(window)) axes.push_back(axis);
  std::vector<te::Axis> over{{"c", s.channels, "in_channel"}};
  ir::Expr o = axes[1].var(), c = over[0].var();
  if (s.groups > 1) {
    c = ir::floor_div(o, ir::int_imm(s.outputs)) * s.channels + c;
    o = ir::floor_mod(o, ir::int_imm(s.outputs));
  }
  std::vector<ir::Expr> at{axes[0].var(), c}, weight{c, o};
  std::vector<te::Axis> kernel = kernel_axes(window);
  for (size_t i = 0; i < s.rank(); ++i) {
    // The kernel is read from its end: element k reaches forward where a convolution looks back.
    ir::Expr back = ir::int_imm(s.kernel[i] - 1) - kernel[i].var();
    over.push_back(kernel[i]);
    at.push_back(axes[i + 2].var() + kernel[i].var() * s.dilations[i]);
    weight.push_back(back);
  }
  ir::Expr product = ir::load(tensors.stages.back().output, at) * ir::load(weights, weight);
  tensors.stages.push_back(te::reduce(name, axes, te::Combiner::kSum, over, product, name));
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  TRY_ASSIGN(Spread s, spread_of(attributes, shape, shape_of(inputs[1])));
  Tensors tensors;
  // Without strides there are no zeros to leave out; with dilations the phases would be uneven.
  if (product_of(s.strides) > 1 && product_of(s.dilations) == 1)
    convolve_phases(s, inputs[0], inputs[1], name, tensors);
  else
    convolve_spread(s, inputs[0], inputs[1], name, tensors);
  if (inputs.size() > 2 && inputs[2]) {
    std::vector<te::Axis> axes = tensors.stages.back().axes;
    ir::Expr sum = ir::load(tensors.stages.back().output, te::vars(axes)) +
                   ir::load(inputs[2], {axes[1].var()});
    tensors.stages.push_back(te::compute("bias_add", axes, sum, "bias_add"));
  }
  tensors.outputs = {tensors.stages.back().output};
  return tensors;
}

/// The position that input element `at` and kernel element `tap` reach in the output plane, or -1.
int64_t reached(Spread const& s, int64_t at, int64_t tap) {
  int64_t flat = 0, step = 1;
  for (size_t i = s.rank(); i > 0; --i) {
    size_t k = i - 1;
    int64_t place = at % s.in[k] * s.strides[k] + tap % s.kernel[k] * s.dilations[k] - s.before[k];
    at /= s.in[k];
    tap /= s.kernel[k];
    if (place < 0 || place >= s.out[k]) return -1;
    flat += place * step;
    step *= s.out[k];
  }
  return flat;
}

/// Every input element is spread over the outputs that it reaches.
ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const &x = inputs[0], &w = inputs[1];
  TRY_ASSIGN(Spread s, spread_of(attributes, x.shape(), w.shape()));
  Shape shape{x.shape()[0], s.groups * s.outputs};
  shape.insert(shape.end(), s.out.begin(), s.out.end());
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), shape));
  int64_t in_plane = element_count(s.in).value_or(0), out_plane = element_count(s.out).value_or(0);
  int64_t taps = element_count(s.kernel).value_or(0);
  std::vector<double> totals(size_t(out.size()), 0);
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t channel = i / in_plane % x.shape()[1], n = i / in_plane / x.shape()[1];
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t to = reached(s, i % in_plane, tap);
      for (int64_t m = 0; to >= 0 && m < s.outputs; ++m) {
        int64_t plane = n * shape[1] + channel / s.channels * s.outputs + m;
        totals[size_t(plane * out_plane + to)] +=
            x.value_at(i) * w.value_at((channel * s.outputs + m) * taps + tap);
      }
    }
  }
  bool biased = inputs.size() > 2 && !inputs[2].empty();
  for (int64_t i = 0; i < out.size(); ++i)
    out.set_value(i,
                  totals[size_t(i)] + (biased ? inputs[2].value_at(i / out_plane % shape[1]) : 0));
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 3));
  std::vector<int64_t> in = random_shape(rng, rank, 4), pads(2 * rank, 0), wanted;
  RandomCase result{random_window(rng, in, false), {}};
  std::vector<int64_t> kernel = integers(result.attributes, "kernel");
  std::vector<int64_t> strides = integers(result.attributes, "strides"), extra;
  for (size_t i = 0; i < rank; ++i) {
    extra.push_back(rng.below(strides[i]));
    wanted.push_back(in[i] * strides[i]);
    for (size_t k : {i, i + rank}) pads[k] = rng.below(kernel[i] / 2 + 1);
  }
  result.attributes.erase("kernel");
  if (has(result.attributes, "pads")) result.attributes["pads"] = pads;
  if (rng.below(2)) result.attributes["output_padding"] = extra;
  if (rng.below(4) == 0) result.attributes["output_shape"] = wanted;
  int64_t groups = rng.between(1, 3), per_group = rng.between(1, 3), outputs = rng.between(1, 3);
  result.attributes["group"] = groups;
  Shape x{rng.between(1, 2), groups * per_group}, w{groups * per_group, outputs};
  x.insert(x.end(), in.begin(), in.end());
  w.insert(w.end(), kernel.begin(), kernel.end());
  result.inputs = {random_array(rng, x), random_array(rng, w)};
  if (rng.below(2)) result.inputs.push_back(random_array(rng, {groups * outputs}));
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "conv_transpose",
      .doc = "Transposed convolution of N x C x spatial with weights C x O/group x kernel.",
      .fusion = Fusion::kComplexOutFusable,
      .inputs = {"X", "W", "B"},
      .attributes = {{"kernel", "spatial extents of the weights; may be left out"},
                     {"strides", "steps between the windows in the output"},
                     {"dilations", "steps inside a window (dilations)"},
                     {"pads", "rows of the output removed before each axis, then after each"},
                     {"auto_pad", "same_upper, same_lower or valid instead of pads"},
                     {"output_padding", "rows added after each axis"},
                     {"output_shape", "spatial extents of the output; the padding follows"},
                     {"group", "number of channel groups that are computed independently"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_conv_transpose
