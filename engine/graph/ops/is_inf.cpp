#include <cmath>
#include <limits>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_is_inf {
namespace {

using namespace ops;

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
  bool positive = integer(attributes, "positive", 1) != 0;
  bool negative = integer(attributes, "negative", 1) != 0;
  return test_elements(inputs[0],
                       [=](double x) { return std::isinf(x) && (x > 0 ? positive : negative); });
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_special(rng);
  result.attributes = {{"positive", rng.below(2)}, {"negative", rng.below(2)}};
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op = of_one({
      .name = "is_inf",
      .doc = "True where the element is infinite.",
      .attributes = {{"positive", "1: positive infinity counts"},
                     {"negative", "1: negative infinity counts"}},
      .infer = infer_test,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_is_inf
