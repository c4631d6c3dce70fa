#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_round {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kRound, x); },
    .number = [](double x) { return std::nearbyint(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "round",
      .doc = "Nearest integer; halves are rounded to the even one.",
  });
  return op;
}

}  // namespace tw::op_round
