#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_is_nan {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) { return ir::binary(ir::BinaryOp::kNe, x, x); });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return test_elements(inputs[0], [](double x) { return std::isnan(x); });
}

}  // namespace

Operator const& row() {
  static Operator const op = of_one({
      .name = "is_nan",
      .doc = "True where the element is not a number (NaN).",
      .infer = infer_test,
      .compute = compute,
      .reference = reference,
      .random_case = random_special,
  });
  return op;
}

}  // namespace tw::op_is_nan
