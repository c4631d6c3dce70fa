#include <cmath>
#include <numbers>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_acosh {
namespace {

using namespace ops;

/// Elements of at least 1.
RandomCase random_case(Rng& rng) {
  RandomCase result = random_one(rng);
  NDArray& x = result.inputs[0];
  for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, 1 + std::abs(x.value_at(i)));
  return result;
}

constexpr ElementFunction kFunction{
    .expression =
        [](ir::Expr x) {
          // With t = x - 1: x + sqrt(x^2 - 1) = 1 + (t + sqrt(t (t + 2))); far away t^2 overflows.
          constexpr double kFar = 1e8;
          ir::Expr more = x - immediate(1, x.type());
          ir::Expr root = ir::unary(ir::UnaryOp::kSqrt, more * (more + immediate(2, x.type())));
          ir::Expr far = ir::unary(ir::UnaryOp::kLog, x) + immediate(std::numbers::ln2, x.type());
          return ir::select(immediate(kFar, x.type()) < x, far, log_of_one_plus(more + root));
        },
    .number = [](double x) { return std::acosh(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "acosh",
      .doc = "Inverse of the hyperbolic cosine.",
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_acosh
