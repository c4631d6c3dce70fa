#include <fmt/format.h>

#include <limits>

#include "engine/graph/shared/onnx.h"
#include "engine/graph/shared/window.h"

namespace tw {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(Window window, window_of(attributes, inputs[0]->shape));
  Shape out(inputs[0]->shape.begin(), inputs[0]->shape.begin() + 2);
  out.insert(out.end(), window.out.begin(), window.out.end());
  return one(inputs[0]->type, out);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  TRY_ASSIGN(Window window, window_of(attributes, shape));
  Tensors tensors;
  te::Buffer source = inputs[0];
  if (window.padded()) {
    tensors.stages.push_back(pad_stage(source, window, ir::lowest(source->type)));
    source = tensors.stages.back().output;
  }
  std::vector<te::Axis> axes{{"n", shape[0], "batch"}, {"c", shape[1], "channel"}};
  for (te::Axis const& axis : spatial_axes(window)) axes.push_back(axis);
  ir::Expr body = ir::load(source, window_indices(window, axes[0].var(), axes[1].var()));
  tensors.stages.push_back(
      te::reduce(name, axes, te::Combiner::kMax, kernel_axes(window), body, name));
  tensors.outputs = {tensors.stages.back().output};
  return tensors;
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(Window window, window_of(attributes, x.shape()));
  Shape shape(x.shape().begin(), x.shape().begin() + 2);
  shape.insert(shape.end(), window.out.begin(), window.out.end());
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), shape));
  int64_t in_plane = element_count(window.in).value_or(0),
          out_plane = element_count(window.out).value_or(0);
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t plane = i / out_plane;
    double best = -std::numeric_limits<double>::infinity();
    for_each_in_window(window, i % out_plane, [&](int64_t at, int64_t) {
      if (at >= 0) best = std::max(best, x.value_at(plane * in_plane + at));
    });
    out.set_value(i, best);
  }
  return std::vector{out};
}

Result<Converted> from_onnx(ForeignContext const& context) {
  if (onnx_integer(context.node, "storage_order", 0) != 0)
    return unsupported("max_pool with column-major indices");
  TRY_ASSIGN(Attributes attributes, window_attributes(context, {}));
  attributes["ceil"] = onnx_integer(context.node, "ceil_mode", 0);
  return keep_inputs(context, 1, attributes);
}

}  // namespace

Operator const& op_max_pool() {
  static Operator const op{
      .name = "max_pool",
      .doc = "Largest element of each window; padding never wins.",
      .fusion = Fusion::kReduction,
      .inputs = {"X"},
      .attributes = {{"kernel", "extents of the window"},
                     {"strides", "steps between windows"},
                     {"dilations", "steps inside a window"},
                     {"pads", "padding before each axis, then after each"},
                     {"auto_pad", "same_upper, same_lower or valid instead of pads"},
                     {"ceil", "1: a last window may reach beyond the padding"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "MaxPool",
      .onnx_attributes = {{"auto_pad"},
                          {"ceil_mode", 10},
                          {"dilations", 10},
                          {"kernel_shape"},
                          {"pads"},
                          {"storage_order", 8},
                          {"strides"}},
      .from_onnx = from_onnx,
      .random_case = random_pool,
      .rereads = window_rereads,
  };
  return op;
}

}  // namespace tw
