#include <algorithm>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_hard_sigmoid {
namespace {

using namespace ops;

constexpr ParametricFunction kFunction{
    .parameters = {{{.name = "alpha", .standard = 0.2}, {.name = "beta", .standard = 0.5}}},
    .expression =
        [](ir::Expr x, double alpha, double beta) {
          return ir::min(ir::max(x * immediate(alpha, x.type()) + immediate(beta, x.type()),
                                 immediate(0, x.type())),
                         immediate(1, x.type()));
        },
    .number = [](double x, double alpha,
                 double beta) { return std::min(std::max(alpha * x + beta, 0.0), 1.0); },
};

}  // namespace

Operator const& row() {
  static Operator const op = parametric_operator<kFunction>({
      .name = "hard_sigmoid",
      .doc = "alpha * x + beta clamped to [0, 1].",
      .attributes = {{"alpha", "factor of the element"}, {"beta", "what is added to it"}},
  });
  return op;
}

}  // namespace tw::op_hard_sigmoid
