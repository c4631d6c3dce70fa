/// Between which values each element of a tensor must be: a judgement that needs no other
/// knowledge, so that it can be passed where the tensor lies.
#pragma once

#include <cstddef>
#include <span>

#include "engine/tensor/ndarray.h"

namespace tw {

/// Both of the tensor's type and size. Floats: `low` <= value <= `high`; where `low` is no number
/// the value must be none, and where `high` alone is none anything will do. Others are equal to
/// `low`.
struct Limits {
  NDArray low, high;
};

/// The first element outside of its limits, -1: there is none. All three hold as many elements of
/// the type.
int64_t first_outside(DType type, std::span<std::byte const> values, std::span<std::byte const> low,
                      std::span<std::byte const> high);

}  // namespace tw
