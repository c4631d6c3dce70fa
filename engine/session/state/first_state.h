/// Where a kernel stands when it is looked at first.
#pragma once

#include "engine/session/state/session_state.h"

namespace tw::session {

/// At the schedule by rule where the target has no code for the plain nest, as one whose memories
/// must be used; else where it is.
Result<KernelWork> at_what_runs(KernelWork work, Backend const& backend);
/// `begin_kernel`, there.
Result<KernelWork> open_kernel_work(LoadedModel const& model, int kernel, Backend const& backend);

}  // namespace tw::session
