#include "engine/graph/shared/window.h"

namespace tw::op_average_pool {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(Window window, window_of(attributes, inputs[0]->shape));
  if (!is_float(inputs[0]->type)) return unfit("an average needs floats");
  return one(inputs[0]->type, pooled_shape(window, inputs[0]->shape));
}

/// How many elements the window at output position `at` averages along axis i.
ir::Expr counted(Window const& w, size_t i, ir::Expr at, bool with_padding) {
  int64_t low = with_padding ? -w.before[i] : 0, high = w.in[i] + (with_padding ? w.after[i] : 0);
  ir::Expr start = at * w.strides[i] - w.before[i];
  return ir::min(start + w.kernel[i], ir::int_imm(high)) - ir::max(start, ir::int_imm(low));
}

Result<Tensors> direct(Attributes const& attributes, Arrangement const& arrangement, Buffers inputs,
                       std::string const& name) {
  TRY_ASSIGN(Window window, window_of(attributes, arrangement.inputs[0].shape));
  bool with_padding = integer(attributes, "count_padding") != 0;
  DType type = inputs[0]->type;
  Tensors tensors =
      pool_stages(inputs[0], window, immediate(0, type), te::Combiner::kSum, name + "_sum", name);
  std::vector<te::Axis> axes = pooled_axes(window, shape_of(inputs[0]));
  ir::Expr count = ir::int_imm(1);
  for (size_t i = 0; i < window.rank(); ++i) {
    bool whole = !window.beyond[i] && (with_padding || (!window.before[i] && !window.after[i]));
    count = count * (whole ? ir::int_imm(window.kernel[i])
                           : counted(window, i, axes[i + 2].var(), with_padding));
  }
  ir::Expr sum = ir::load(tensors.outputs[0], te::vars(axes));
  std::optional<int64_t> whole = ir::as_int(count);
  ir::Expr mean = sum / (whole ? immediate(double(*whole), type) : ir::cast(type, count));
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
  TRY_ASSIGN(Window window, window_of(attributes, inputs[0].shape()));
  bool with_padding = integer(attributes, "count_padding") != 0;
  return map_windows(inputs[0], window, inputs[0].type(),
                     [&](std::span<double const> elements, int64_t at) {
                       double total = 0;
                       for (double element : elements) total += element;
                       return total / double(divisor(window, at, with_padding));
                     });
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_pool(rng);
  result.attributes.erase("dilations");
  result.attributes["count_padding"] = rng.below(2);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "average_pool",
      .doc = "Mean of each window.",
      .fusion = Fusion::kReduction,
      .inputs = {"X"},
      .attributes = pool_attributes({"count_padding", "1: padding counts as zeros"}),
      .infer = infer,
      .computes = {{.name = "direct",
                    .doc = "every output sums over its window; channels may be stored in blocks",
                    .takes = pool_takes,
                    .make = direct}},
      .reference = reference,
      .random_case = random_case,
      .rereads = window_rereads,
  };
  return op;
}

}  // namespace tw::op_average_pool
