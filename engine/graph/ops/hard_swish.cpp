#include <algorithm>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_hard_swish {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression =
        [](ir::Expr x) {
          return x * ir::min(ir::max(x * immediate(1.0 / 6, x.type()) + immediate(0.5, x.type()),
                                     immediate(0, x.type())),
                             immediate(1, x.type()));
        },
    .number = [](double x) { return x * std::min(std::max(x / 6 + 0.5, 0.0), 1.0); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "hard_swish",
      .doc = "x * (x / 6 + 1/2 clamped to [0, 1]).",
  });
  return op;
}

}  // namespace tw::op_hard_swish
