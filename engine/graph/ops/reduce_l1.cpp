#include <cmath>

#include "engine/graph/shared/reduction.h"

namespace tw {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kSum,
    .prepare = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kAbs, x); },
    .prepare_number = [](double x) { return std::abs(x); },
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

Operator const& op_reduce_l1() {
  static Operator const op{
      .name = "reduce_l1",
      .doc = "Sum of the absolute values along axes.",
      .fusion = Fusion::kReduction,
      .inputs = {"X"},
      .attributes = reduction_attributes(),
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "ReduceL1",
      .onnx_attributes = {{"axes", 1, 17}, {"keepdims"}, {"noop_with_empty_axes", 18}},
      .from_onnx = convert_reduction,
      .random_case = random_reduction,
  };
  return op;
}

}  // namespace tw
