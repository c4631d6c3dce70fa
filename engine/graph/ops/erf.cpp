#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kErf, x); },
    .number = [](double x) { return std::erf(x); },
};

}  // namespace

Operator const& op_erf() {
  static Operator const op = element_operator<kFunction>({
      .name = "erf",
      .doc = "Gauss error function of the element.",
  });
  return op;
}

}  // namespace tw
