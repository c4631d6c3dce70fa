#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression =
        [](ir::Expr x) {
          ir::Expr zero = immediate(0, x.type()), one = immediate(1, x.type());
          return ir::select(x < zero, zero - one, ir::select(zero < x, one, zero));
        },
    .number = [](double x) -> double { return (x > 0) - (x < 0); },
};

}  // namespace

Operator const& op_sign() {
  static Operator const op = element_operator<kFunction>({
      .name = "sign",
      .doc = "-1, 0 or 1 as the element is below, at or above zero.",
      .infer = infer_same,
  });
  return op;
}

}  // namespace tw
