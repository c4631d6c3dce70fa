#include <cmath>
#include <numbers>

#include "engine/graph/shared/inverse_functions.h"
#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_acos {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression =
        [](ir::Expr x) { return immediate(std::numbers::pi / 2, x.type()) - arc_sine(x); },
    .number = [](double x) { return std::acos(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "acos",
      .doc = "Arc cosine of the element.",
      .random_case = random_sines,
  });
  return op;
}

}  // namespace tw::op_acos
