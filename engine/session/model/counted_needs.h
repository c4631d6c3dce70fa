/// What a kernel needs of what a machine's roofs are of.
#pragma once

#include "engine/session/model/kernel_roofs.h"

namespace tw::session {

/// As `needs_of`; where the machine's roofs are of integers, its operations are of those.
analysis::KernelNeeds counted_needs(LoadedModel const& model, int kernel, ir::Program const& plain,
                                    Hardware const& hardware);

}  // namespace tw::session
