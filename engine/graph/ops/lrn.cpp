#include <fmt/format.h>

#include <cmath>

#include "engine/graph/shared/elements.h"

namespace tw::op_lrn {
namespace {

using namespace ops;

/// Channels c - before ... c + size - 1 - before are summed.
int64_t before(int64_t size) { return (size - 1) / 2; }

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  int64_t size = integer(attributes, "size");
  if (inputs[0]->shape.size() < 2 || !is_float(inputs[0]->type) || size < 1 || size > 1 << 20)
    return unfit(fmt::format("{} neighbouring channels do not fit a tensor of shape {}", size,
                             to_text(inputs[0]->shape)));
  return one(inputs[0]->type, inputs[0]->shape);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  DType type = inputs[0]->type;
  int64_t size = integer(attributes, "size");
  std::vector<te::Axis> axes = output_axes(shape), over{{"k", size, "neighbour"}};
  std::vector<ir::Expr> indices = te::vars(axes);
  indices[1] = axes[1].var() + over[0].var() - before(size);
  ir::Expr x = ir::load(inputs[0], indices);
  ir::Expr inside = 0 <= indices[1] && indices[1] < shape[1];
  te::Stage sum = te::reduce(name + "_sum", axes, te::Combiner::kSum, over,
                             ir::select(inside, x * x, immediate(0, type)), name);
  ir::Expr base = immediate(number(attributes, "bias", 1), type) +
                  ir::load(sum.output, te::vars(axes)) *
                      immediate(number(attributes, "alpha", 1e-4) / double(size), type);
  ir::Expr power =
      ir::binary(ir::BinaryOp::kPow, base, immediate(number(attributes, "beta", 0.75), type));
  te::Stage divide = te::compute(name, axes, ir::load(inputs[0], te::vars(axes)) / power, "divide");
  return Tensors{{sum, divide}, {divide.output}};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), x.shape()));
  int64_t size = integer(attributes, "size"), channels = x.shape()[1];
  int64_t inner = element_count(Shape(x.shape().begin() + 2, x.shape().end())).value_or(1);
  double alpha = number(attributes, "alpha", 1e-4), beta = number(attributes, "beta", 0.75),
         bias = number(attributes, "bias", 1);
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t c = i / inner % channels;
    double total = 0;
    int64_t first = std::max<int64_t>(0, c - before(size)),
            end = std::min(channels, c - before(size) + size);
    for (int64_t at = first; at < end; ++at) total += std::pow(x.value_at(i + (at - c) * inner), 2);
    out.set_value(i, x.value_at(i) / std::pow(bias + alpha / double(size) * total, beta));
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  Attributes attributes{{"size", rng.between(1, 5)}, {"alpha", 0.1}, {"beta", 0.75}, {"bias", 1.0}};
  return {attributes, {random_array(rng, random_shape(rng, size_t(rng.between(2, 4)), 6))}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "lrn",
      .doc = "Local response normalization over neighbouring channels.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X"},
      .attributes = {{"size", "channels summed"},
                     {"alpha", "factor of the mean square"},
                     {"beta", "exponent"},
                     {"bias", "added to the sum"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_lrn
