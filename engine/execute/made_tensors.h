/// What kernels make of their parameters, computed once.
#pragma once

#include "engine/execute/assemble.h"

namespace tw {

/// The tensors that `step`'s kernel, `code`, takes besides its inputs, in the order of its `made`.
/// `graph`: the one that the step is of.
Result<std::vector<NDArray>> make_tensors(PackageSource const& source, Graph const& graph,
                                          PlanStep const& step, KernelCode const& code,
                                          CallOptions const& call);

}  // namespace tw
