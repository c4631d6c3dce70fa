/// What a device that runs a model leaves to another one.
#pragma once

#include "engine/compile/offload.h"

namespace tw {

/// The other way round than `offload`: the device that runs the model is `able`'s, and what this
/// has no code for goes to the place `there`. Its kernels say why; there may be none. Errors:
/// no_kernel_fits, nothing_to_offload (all would go).
Result<Offload> offload_rest(Graph const& graph, Plan const& plan, Backend const& able,
                             std::string const& home, std::string const& there);

}  // namespace tw
