#include "engine/graph/shared/inverse_functions.h"

#include <numbers>

#include "engine/graph/shared/pointwise.h"

namespace tw::ops {

/// Cephes' atanf (Moshier 1984): by tan(pi/8) and tan(3pi/8) into the range of a polynomial.
ir::Expr arc_tangent(ir::Expr x) {
  auto value = [&](double v) { return immediate(v, x.type()); };
  ir::Expr size = ir::unary(ir::UnaryOp::kAbs, x), one = value(1);
  ir::Expr far = value(2.414213562373095) < size, middle = value(0.4142135623730950) < size;
  ir::Expr small =
      ir::select(far, value(-1) / size, ir::select(middle, (size - one) / (size + one), size));
  ir::Expr base = ir::select(far, value(std::numbers::pi / 2),
                             ir::select(middle, value(std::numbers::pi / 4), value(0)));
  ir::Expr z = small * small;
  ir::Expr series =
      ((z * value(8.05374449538e-2) - value(1.38776856032e-1)) * z + value(1.99777106478e-1)) * z -
      value(3.33329491539e-1);
  ir::Expr angle = base + (series * z * small + small);
  return ir::select(x < value(0), ir::unary(ir::UnaryOp::kNeg, angle), angle);
}

ir::Expr arc_sine(ir::Expr x) {
  ir::Expr one = immediate(1, x.type());
  // (1 - x)(1 + x), not 1 - x^2: exact near 1. At 1 the quotient is infinite, its arc pi/2.
  return arc_tangent(x / ir::unary(ir::UnaryOp::kSqrt, (one - x) * (one + x)));
}

RandomCase random_sines(Rng& rng) {
  RandomCase result = random_one(rng);
  NDArray& x = result.inputs[0];
  for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, 1.98 * rng.uniform() - 0.99);
  return result;
}

}  // namespace tw::ops
