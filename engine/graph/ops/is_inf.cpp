#include <cmath>
#include <limits>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY_ASSIGN(std::vector<TensorInfo> infos, infer_float(attributes, inputs));
  return one(DType::kBool, infos[0].shape);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  bool positive = integer(attributes, "positive", 1) != 0;
  bool negative = integer(attributes, "negative", 1) != 0;
  return map_compute(inputs, name, [=](ir::Expr x) {
    auto is = [&](double value) {
      return ir::binary(ir::BinaryOp::kEq, x, immediate(value, x.type()));
    };
    if (positive && negative) return is(kInfinity) || is(-kInfinity);
    if (positive) return is(kInfinity);
    return negative ? is(-kInfinity) : ir::bool_imm(false);
  });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(NDArray out, NDArray::create(DType::kBool, x.shape()));
  bool positive = integer(attributes, "positive", 1) != 0;
  bool negative = integer(attributes, "negative", 1) != 0;
  for (int64_t i = 0; i < x.size(); ++i) {
    double value = x.value_at(i);
    out.set_value(i, std::isinf(value) && (value > 0 ? positive : negative));
  }
  return std::vector{out};
}

Result<Converted> from_onnx(ForeignContext const& context) {
  return keep_inputs(context, 1,
                     {{"positive", onnx_integer(context.node, "detect_positive", 1)},
                      {"negative", onnx_integer(context.node, "detect_negative", 1)}});
}

RandomCase random_case(Rng& rng) {
  constexpr double kOdd[] = {std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};
  RandomCase result = random_one(rng);
  result.attributes = {{"positive", rng.below(2)}, {"negative", rng.below(2)}};
  for (int64_t i = 0; i < result.inputs[0].size(); ++i)
    if (rng.below(2)) result.inputs[0].set_value(i, kOdd[rng.below(3)]);
  return result;
}

}  // namespace

Operator const& op_is_inf() {
  static Operator const op{
      .name = "is_inf",
      .doc = "Whether the element is infinite.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .attributes = {{"positive", "1: plus infinity counts"},
                     {"negative", "1: minus infinity counts"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "IsInf",
      .onnx_attributes = {{"detect_negative", 10}, {"detect_positive", 10}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
