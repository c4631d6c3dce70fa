/// Single numbers as tensors hold them.
#pragma once

#include "engine/tensor/dtype.h"

namespace tw {

/// The number of a type of floats that is nearest to `value`.
double nearest(DType type, double value);

}  // namespace tw
