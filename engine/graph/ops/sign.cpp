#include "engine/graph/shared/pointwise_operators.h"
#include "engine/tensor/integers.h"

namespace tw::op_sign {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression =
        [](ir::Expr x) {
          ir::Expr zero = immediate(0, x.type()), one = immediate(1, x.type());
          if (!is_float(x.type()) && !is_signed(x.type())) return ir::select(zero < x, one, zero);
          // The last value is that of no order: zero itself, or NaN.
          ir::Expr otherwise = is_float(x.type()) ? x : zero;
          ir::Expr minus = is_float(x.type()) ? immediate(-1, x.type()) : zero - one;
          return ir::select(x < zero, minus, ir::select(zero < x, one, otherwise));
        },
    .number = [](double x) -> double { return x > 0   ? 1
                                              : x < 0 ? -1
                                                      : x; },
    .whole = [](int64_t x, DType type) -> int64_t { return is_below(x, 0, type) ? -1 : x != 0; },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "sign",
      .doc = "-1, 0 or 1 as the element is below, at or above zero; NaN of NaN.",
      .infer = infer_same,
  });
  return op;
}

}  // namespace tw::op_sign
