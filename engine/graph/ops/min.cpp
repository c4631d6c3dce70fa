#include <algorithm>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

constexpr JoinFunction kFunction{
    .expression = [](ir::Expr a, ir::Expr b) { return ir::min(a, b); },
    .number = [](double a, double b) { return std::min(a, b); },
};

}  // namespace

Operator const& op_min() {
  static Operator const op = many_operator<kFunction>({
      .name = "min",
      .doc = "Smallest of any number of elements, broadcast.",
  });
  return op;
}

}  // namespace tw
