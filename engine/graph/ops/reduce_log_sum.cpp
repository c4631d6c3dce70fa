#include <cmath>

#include "engine/graph/shared/reduction.h"

namespace tw {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kSum,
    .finish = [](ir::Expr x, int64_t) { return ir::unary(ir::UnaryOp::kLog, x); },
    .finish_number = [](double x, int64_t) { return std::log(x); },
    .floats_only = true,
};

InferResult infer(Attributes const& attributes, Infos inputs) {
  return infer_reduction(kReduction, attributes, inputs);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  return compute_reduction(kReduction, attributes, inputs, name);
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  return reference_reduction(kReduction, attributes, inputs);
}

/// Positive elements: a logarithm of less than 0 is no number.
RandomCase random_case(Rng& rng) {
  RandomCase result = random_reduction(rng);
  NDArray& x = result.inputs[0];
  for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, std::abs(x.value_at(i)) + 0.01);
  return result;
}

}  // namespace

Operator const& op_reduce_log_sum() {
  static Operator const op{
      .name = "reduce_log_sum",
      .doc = "Logarithm of the sum along axes.",
      .fusion = Fusion::kReduction,
      .inputs = {"X"},
      .attributes = reduction_attributes(),
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "ReduceLogSum",
      .onnx_attributes = {{"axes", 1, 17}, {"keepdims"}, {"noop_with_empty_axes", 18}},
      .from_onnx = convert_reduction,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
