#include <cmath>

#include "engine/graph/shared/inverse_functions.h"
#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_asin {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return arc_sine(x); },
    .number = [](double x) { return std::asin(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "asin",
      .doc = "Arc sine of the element.",
      .random_case = random_sines,
  });
  return op;
}

}  // namespace tw::op_asin
