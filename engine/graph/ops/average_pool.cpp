#include <fmt/format.h>

#include "engine/graph/shared/onnx.h"
#include "engine/graph/shared/window.h"

namespace tw {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(Window window, window_of(attributes, inputs[0]->shape));
  if (!is_float(inputs[0]->type)) return unfit("an average needs floats");
  Shape out(inputs[0]->shape.begin(), inputs[0]->shape.begin() + 2);
  out.insert(out.end(), window.out.begin(), window.out.end());
  return one(inputs[0]->type, out);
}

/// How many elements the window at output position `at` averages along axis i.
ir::Expr counted(Window const& w, size_t i, ir::Expr at, bool with_padding) {
  int64_t low = with_padding ? -w.before[i] : 0, high = w.in[i] + (with_padding ? w.after[i] : 0);
  ir::Expr start = at * w.strides[i] - w.before[i];
  return ir::min(start + w.kernel[i], ir::int_imm(high)) - ir::max(start, ir::int_imm(low));
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  TRY_ASSIGN(Window window, window_of(attributes, shape));
  bool with_padding = integer(attributes, "count_padding") != 0;
  Tensors tensors;
  te::Buffer source = inputs[0];
  if (window.padded()) {
    tensors.stages.push_back(pad_stage(source, window, immediate(0, source->type)));
    source = tensors.stages.back().output;
  }
  std::vector<te::Axis> axes{{"n", shape[0], "batch"}, {"c", shape[1], "channel"}};
  for (te::Axis const& axis : spatial_axes(window)) axes.push_back(axis);
  ir::Expr body = ir::load(source, window_indices(window, axes[0].var(), axes[1].var()));
  tensors.stages.push_back(
      te::reduce(name + "_sum", axes, te::Combiner::kSum, kernel_axes(window), body, name));
  ir::Expr count = ir::int_imm(1);
  for (size_t i = 0; i < window.rank(); ++i) {
    bool whole = !window.beyond[i] && (with_padding || (!window.before[i] && !window.after[i]));
    count = count * (whole ? ir::int_imm(window.kernel[i])
                           : counted(window, i, axes[i + 2].var(), with_padding));
  }
  ir::Expr mean =
      ir::load(tensors.stages.back().output, te::vars(axes)) / ir::cast(source->type, count);
  if (auto whole = ir::as_int(count))
    mean = ir::load(tensors.stages.back().output, te::vars(axes)) /
           immediate(double(*whole), source->type);
  tensors.stages.push_back(te::compute(name, axes, mean, "divide"));
  tensors.outputs = {tensors.stages.back().output};
  return tensors;
}

/// Elements of the window that count, padding included or not.
int64_t divisor(Window const& w, int64_t at, bool with_padding) {
  int64_t count = 1;
  for (size_t i = w.rank(); i > 0; --i) {
    int64_t start = at % w.out[i - 1] * w.strides[i - 1] - w.before[i - 1];
    at /= w.out[i - 1];
    int64_t inside = 0;
    for (int64_t k = 0; k < w.kernel[i - 1]; ++k) {
      int64_t place = start + k;
      bool real = place >= 0 && place < w.in[i - 1];
      bool padding = place >= -w.before[i - 1] && place < w.in[i - 1] + w.after[i - 1];
      inside += real || (with_padding && padding);
    }
    count *= inside;
  }
  return count;
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(Window window, window_of(attributes, x.shape()));
  Shape shape(x.shape().begin(), x.shape().begin() + 2);
  shape.insert(shape.end(), window.out.begin(), window.out.end());
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), shape));
  bool with_padding = integer(attributes, "count_padding") != 0;
  int64_t in_plane = element_count(window.in).value_or(0),
          out_plane = element_count(window.out).value_or(0);
  for (int64_t i = 0; i < out.size(); ++i) {
    double total = 0;
    for_each_in_window(window, i % out_plane, [&](int64_t at, int64_t) {
      if (at >= 0) total += x.value_at(i / out_plane * in_plane + at);
    });
    out.set_value(i, total / double(divisor(window, i % out_plane, with_padding)));
  }
  return std::vector{out};
}

Result<Converted> from_onnx(ForeignContext const& context) {
  TRY_ASSIGN(Attributes attributes, window_attributes(context, {}));
  for (int64_t dilation : integers(attributes, "dilations"))
    if (dilation != 1) return unsupported("average_pool with dilations");
  attributes.erase("dilations");
  attributes["ceil"] = onnx_integer(context.node, "ceil_mode", 0);
  attributes["count_padding"] = onnx_integer(context.node, "count_include_pad", 0);
  return keep_inputs(context, 1, attributes);
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_pool(rng);
  result.attributes.erase("dilations");
  result.attributes["count_padding"] = rng.below(2);
  return result;
}

}  // namespace

Operator const& op_average_pool() {
  static Operator const op{
      .name = "average_pool",
      .doc = "Mean of each window.",
      .fusion = Fusion::kReduction,
      .inputs = {"X"},
      .attributes = {{"kernel", "extents of the window"},
                     {"strides", "steps between windows"},
                     {"pads", "padding before each axis, then after each"},
                     {"auto_pad", "same_upper, same_lower or valid instead of pads"},
                     {"ceil", "1: a last window may reach beyond the padding"},
                     {"count_padding", "1: padding counts as zeros"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "AveragePool",
      .onnx_attributes = {{"auto_pad"},
                          {"ceil_mode", 10},
                          {"count_include_pad", 7},
                          {"dilations", 19},
                          {"kernel_shape"},
                          {"pads"},
                          {"strides"}},
      .from_onnx = from_onnx,
      .random_case = random_case,
      .rereads = window_rereads,
  };
  return op;
}

}  // namespace tw
