#include <algorithm>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

constexpr JoinFunction kFunction{
    .expression = [](ir::Expr a, ir::Expr b) { return ir::max(a, b); },
    .number = [](double a, double b) { return std::max(a, b); },
};

}  // namespace

Operator const& op_max() {
  static Operator const op = many_operator<kFunction>({
      .name = "max",
      .doc = "Largest of any number of elements, broadcast.",
  });
  return op;
}

}  // namespace tw
