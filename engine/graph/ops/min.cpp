#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"
#include "engine/tensor/integers.h"

namespace tw::op_min {
namespace {

using namespace ops;

constexpr JoinFunction kFunction{
    .expression = [](ir::Expr a, ir::Expr b) { return ir::min(a, b); },
    .number = [](double a, double b) { return std::isnan(a) || a < b ? a : b; },
    .whole = [](int64_t a, int64_t b, DType type) { return is_below(b, a, type) ? b : a; },
};

}  // namespace

Operator const& row() {
  static Operator const op = many_operator<kFunction>({
      .name = "min",
      .doc = "Smallest of any number of elements, broadcast; NaN where one is NaN.",
  });
  return op;
}

}  // namespace tw::op_min
