#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_erf {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kErf, x); },
    .number = [](double x) { return std::erf(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "erf",
      .doc = "Gauss error function of the element.",
  });
  return op;
}

}  // namespace tw::op_erf
