#include <cmath>

#include "engine/graph/shared/inverse_functions.h"
#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return arc_tangent(x); },
    .number = [](double x) { return std::atan(x); },
};

}  // namespace

Operator const& op_atan() {
  static Operator const op = element_operator<kFunction>({
      .name = "atan",
      .doc = "Arc tangent of the element.",
  });
  return op;
}

}  // namespace tw
