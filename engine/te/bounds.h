/// Where a tensor expression reads: inside of its tensors, always.
#pragma once

#include "engine/support/base/error.h"
#include "engine/te/te.h"

namespace tw::te {

/// Every read lies in its tensor wherever the conditions before it hold, and no axis is divided by
/// zero. Errors: outside_of_tensor, with what an index reaches; index_not_bounded, where neither
/// intervals nor trying all values of the axes show that it stays inside, which what data chooses
/// never does without a bound; index_overflows: what is made of axes alone does not fit 64 bits,
/// behind a condition too; division_by_zero, with the axes' values.
Status verify_bounds(Stage const& stage);

}  // namespace tw::te
