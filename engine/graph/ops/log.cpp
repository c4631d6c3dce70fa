#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_log {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kLog, x); },
    .number = [](double x) { return std::log(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "log",
      .doc = "Natural logarithm of the element.",
      .random_case = random_positive,
  });
  return op;
}

}  // namespace tw::op_log
