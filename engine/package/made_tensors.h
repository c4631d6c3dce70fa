/// What kernels make of their parameters, computed at export.
#pragma once

#include "engine/package/assemble.h"

namespace tw {

/// The tensors that `step`'s kernel takes besides its inputs, in the order of its `made`.
/// `graph`: the one that the step is of.
Result<std::vector<NDArray>> make_tensors(PackageSource const& source, Graph const& graph,
                                          PlanStep const& step, CallOptions const& call);

}  // namespace tw
