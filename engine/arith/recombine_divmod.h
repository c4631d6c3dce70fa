/// Puts quotients and remainders of one number together again.
#pragma once

#include "engine/arith/linear.h"

namespace tw::arith {

/// (x // n)*n*a + (x % n)*a == x*a, and the like: what splitting and fusing again leaves behind.
Linear with_divmod_recombined(Linear sum);

}  // namespace tw::arith
