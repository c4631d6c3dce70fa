/// What kernels make of their parameters, computed at export.
#pragma once

#include "engine/package/assemble.h"

namespace tw {

/// The tensors that `step`'s kernel takes besides its inputs, in the order of its `made`.
Result<std::vector<NDArray>> make_tensors(PackageSource const& source, PlanStep const& step,
                                          CallOptions const& call);

}  // namespace tw
