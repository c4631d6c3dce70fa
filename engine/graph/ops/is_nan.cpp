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

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) { return ir::binary(ir::BinaryOp::kNe, x, x); });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(NDArray out, NDArray::create(DType::kBool, x.shape()));
  for (int64_t i = 0; i < x.size(); ++i) out.set_value(i, std::isnan(x.value_at(i)));
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  constexpr double kOdd[] = {std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};
  RandomCase result = random_one(rng);
  for (int64_t i = 0; i < result.inputs[0].size(); ++i)
    if (rng.below(2)) result.inputs[0].set_value(i, kOdd[rng.below(3)]);
  return result;
}

}  // namespace

Operator const& op_is_nan() {
  static Operator const op{
      .name = "is_nan",
      .doc = "Whether the element is no number.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "IsNaN",
      .from_onnx = keep_one,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
