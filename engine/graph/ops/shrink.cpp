#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_shrink {
namespace {

using namespace ops;

constexpr ParametricFunction kFunction{
    .parameters = {{{.name = "lambd", .standard = 0.5}, {.name = "bias", .standard = 0}}},
    .expression =
        [](ir::Expr x, double lambd, double bias) {
          ir::Expr by = immediate(bias, x.type());
          return ir::select(
              x < immediate(-lambd, x.type()), x + by,
              ir::select(immediate(lambd, x.type()) < x, x - by, immediate(0, x.type())));
        },
    .number = [](double x, double lambd,
                 double bias) { return x < -lambd  ? x + bias
                                       : x > lambd ? x - bias
                                                   : 0; },
};

}  // namespace

Operator const& row() {
  static Operator const op = parametric_operator<kFunction>({
      .name = "shrink",
      .doc = "0 between -lambd and lambd, else the element moved towards 0 by bias.",
      .attributes = {{"lambd", "half the width of the gap"}, {"bias", "how far the rest moves"}},
  });
  return op;
}

}  // namespace tw::op_shrink
