#include <fmt/format.h>

#include "engine/graph/computes.h"
#include "engine/graph/shared/elements.h"

namespace tw::op_global_average_pool {
namespace {

using namespace ops;

Shape pooled(Shape shape) {
  for (size_t i = 2; i < shape.size(); ++i) shape[i] = 1;
  return shape;
}

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  if (inputs[0]->shape.size() < 3 || !is_float(inputs[0]->type))
    return unfit(
        fmt::format("a tensor of shape {} has no elements to average", to_text(inputs[0]->shape)));
  return one(inputs[0]->type, pooled(inputs[0]->shape));
}

/// Data in blocks of channels gives a plain result, or one in the same blocks.
Status takes(Attributes const&, Arrangement const& arrangement) {
  auto data = arrangement.input(0).only_block(1), result = arrangement.output(0).only_block(1);
  if (!data || !result || (*result != 0 && data != result))
    return not_taken("an average takes images in blocks of channels, ABCD16b");
  if (*data == 0 || arrangement.inputs[0].shape[1] % *data == 0) return {};
  return not_taken(
      fmt::format("{} channels are not whole blocks of {}", arrangement.inputs[0].shape[1], *data));
}

Result<Tensors> direct(Attributes const&, Arrangement const& arrangement, Buffers inputs,
                       std::string const& name) {
  Shape const& shape = arrangement.inputs[0].shape;
  int64_t block = *arrangement.input(0).only_block(1),
          written = *arrangement.output(0).only_block(1);
  Shape made = pooled(shape);
  if (written > 0) made[1] /= written;
  std::vector<te::Axis> axes = output_axes(made), over;
  if (written > 0) axes.push_back({"b", written, "block"});
  ir::Expr c = axes[1].var();
  std::vector<ir::Expr> indices{axes[0].var(),
                                block > written ? ir::floor_div(c, ir::int_imm(block)) : c};
  int64_t count = 1;
  for (size_t i = 2; i < shape.size(); ++i) {
    over.push_back({"r" + std::to_string(i - 2), shape[i], output_axes(shape)[i].role});
    indices.push_back(over.back().var());
    count *= shape[i];
  }
  if (block > 0)
    indices.push_back(written > 0 ? axes.back().var() : ir::floor_mod(c, ir::int_imm(block)));
  te::Stage sum =
      te::reduce(name + "_sum", axes, te::Combiner::kSum, over, ir::load(inputs[0], indices), name);
  ir::Expr mean = ir::load(sum.output, te::vars(axes)) / immediate(double(count), inputs[0]->type);
  te::Stage divide = te::compute(name, axes, mean, "divide");
  return Tensors{{sum, divide}, {divide.output}};
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), pooled(x.shape())));
  int64_t inner = out.size() ? x.size() / out.size() : 0;
  for (int64_t i = 0; i < out.size(); ++i) {
    double total = 0;
    for (int64_t k = 0; k < inner; ++k) total += x.value_at(i * inner + k);
    out.set_value(i, total / double(inner));
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  Shape shape = random_shape(rng, size_t(rng.between(3, 5)), 5);
  int64_t block = rng.below(2) ? 0 : rng.between(1, 3);
  if (block > 0) shape[1] *= block;
  RandomCase result{{}, {random_array(rng, shape)}};
  Layout blocks = block > 0 ? Layout::in_blocks(shape.size(), 1, block) : Layout();
  result.layouts = {blocks};
  if (rng.below(2)) result.result_layouts = {blocks};
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "global_average_pool",
      .doc = "Mean of each channel.",
      .fusion = Fusion::kReduction,
      .inputs = {"X"},
      .infer = infer,
      .computes = {{.name = "direct",
                    .doc = "every channel is summed up; channels may be stored in blocks",
                    .takes = takes,
                    .make = direct}},
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_global_average_pool
