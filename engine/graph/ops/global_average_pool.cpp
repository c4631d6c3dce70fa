#include <fmt/format.h>

#include "engine/graph/shared/elements.h"

namespace tw {
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

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  std::vector<te::Axis> axes = output_axes(pooled(shape)), over;
  std::vector<ir::Expr> indices{axes[0].var(), axes[1].var()};
  int64_t count = 1;
  for (size_t i = 2; i < shape.size(); ++i) {
    over.push_back({"r" + std::to_string(i - 2), shape[i], output_axes(shape)[i].role});
    indices.push_back(over.back().var());
    count *= shape[i];
  }
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
  return {{}, {random_array(rng, random_shape(rng, size_t(rng.between(3, 5)), 5))}};
}

}  // namespace

Operator const& op_global_average_pool() {
  static Operator const op{
      .name = "global_average_pool",
      .doc = "Mean of each channel.",
      .fusion = Fusion::kReduction,
      .inputs = {"X"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
