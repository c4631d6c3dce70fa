#include <cmath>

#include "engine/graph/shared/reduction.h"

namespace tw {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kSum,
    .prepare = [](ir::Expr x) { return x * x; },
    .finish = [](ir::Expr x, int64_t) { return ir::unary(ir::UnaryOp::kSqrt, x); },
    .prepare_number = [](double x) { return x * x; },
    .finish_number = [](double x, int64_t) { return std::sqrt(x); },
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

}  // namespace

Operator const& op_reduce_l2() {
  static Operator const op{
      .name = "reduce_l2",
      .doc = "Root of the sum of squares along axes.",
      .fusion = Fusion::kReduction,
      .inputs = {"X"},
      .attributes = reduction_attributes(),
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "ReduceL2",
      .onnx_attributes = {{"axes", 1, 17}, {"keepdims"}, {"noop_with_empty_axes", 18}},
      .from_onnx = convert_reduction,
      .random_case = random_reduction,
  };
  return op;
}

}  // namespace tw
