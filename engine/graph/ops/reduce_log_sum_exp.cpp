#include <cmath>

#include "engine/graph/shared/reduction.h"

namespace tw {
namespace {

using namespace ops;

/// For the reference alone, in doubles; the kernel takes the largest element out first.
constexpr Reduction kReduction{
    .combiner = te::Combiner::kSum,
    .prepare_number = [](double x) { return std::exp(x); },
    .finish_number = [](double x, int64_t) { return std::log(x); },
    .floats_only = true,
};

InferResult infer(Attributes const& attributes, Infos inputs) {
  return infer_reduction(kReduction, attributes, inputs);
}

/// max + log(sum(exp(x - max))), so that no exponential overflows.
Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  TRY_ASSIGN(ReducedShape reduced, reduced_shape(attributes, shape));
  ReducedAxes split = reduced_axes(shape, reduced);
  ir::Expr element = ir::load(inputs[0], split.element);
  if (split.over.empty()) return single(te::compute(name, split.axes, element, name));
  te::Stage largest =
      te::reduce(name + "_max", split.axes, te::Combiner::kMax, split.over, element, name);
  ir::Expr most = ir::load(largest.output, te::vars(split.axes));
  te::Stage total = te::reduce(name + "_sum", split.axes, te::Combiner::kSum, split.over,
                               ir::unary(ir::UnaryOp::kExp, element - most), name);
  ir::Expr sum = ir::load(total.output, te::vars(split.axes));
  te::Stage finish =
      te::compute(name, split.axes, most + ir::unary(ir::UnaryOp::kLog, sum), name + "_finish");
  return Tensors{{largest, total, finish}, {finish.output}};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  return reference_reduction(kReduction, attributes, inputs);
}

}  // namespace

Operator const& op_reduce_log_sum_exp() {
  static Operator const op{
      .name = "reduce_log_sum_exp",
      .doc = "Logarithm of the sum of exponentials along axes.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X"},
      .attributes = reduction_attributes(),
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "ReduceLogSumExp",
      .from_onnx = convert_reduction,
      .random_case = random_reduction,
  };
  return op;
}

}  // namespace tw
