/// Single numbers as tensors hold them.
#pragma once

#include "engine/tensor/dtype.h"

namespace tw {

/// The number of a type of floats that is nearest to `value`.
double nearest(DType type, double value);
/// The least number of the type that is not below `value`.
double nearest_above(DType type, double value);
/// The greatest one that is not above it.
double nearest_below(DType type, double value);
/// The number that the bits of an f16 or a bf16 stand for.
float half_to_float(uint16_t bits);
float bfloat_to_float(uint16_t bits);

}  // namespace tw
