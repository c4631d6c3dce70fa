#include <cmath>

#include "engine/graph/shared/inverse_functions.h"
#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return arc_sine(x); },
    .number = [](double x) { return std::asin(x); },
};

}  // namespace

Operator const& op_asin() {
  static Operator const op = element_operator<kFunction>({
      .name = "asin",
      .doc = "Arc sine of the element.",
      .random_case = random_sines,
  });
  return op;
}

}  // namespace tw
