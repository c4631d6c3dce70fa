/// Reads of a tensor expression that surely lie outside of their tensor.
#pragma once

#include "engine/support/base/error.h"
#include "engine/te/te.h"

namespace tw::te {

/// Error outside_of_tensor: an index that is a sum of the stage's axes reaches beyond its
/// dimension, and no condition stands before the read. What depends on a condition, on data or on
/// divisions is left to the checked run. Error index_overflows: what an index is made of does not
/// fit 64 bits, behind a condition too.
Status verify_bounds(Stage const& stage);

}  // namespace tw::te
