/// Kernels of several operators on narrow floats (f16, bf16).
#pragma once

#include <set>
#include <string>

#include "engine/te/te.h"

namespace tw {

/// The kernel with f32 in the place of every rounding between two of its operators: only what a
/// kernel stores for others is rounded. `asked` names tensors whose rounding is what the model asks
/// for (its own conversions): they keep it.
te::Kernel rounded_at_the_end(te::Kernel const& kernel, std::set<std::string> const& asked);

}  // namespace tw
