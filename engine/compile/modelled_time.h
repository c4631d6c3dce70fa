/// What a kernel should take when it runs, without what is computed when the model is loaded.
#pragma once

#include <optional>

#include "engine/backend/backend.h"

namespace tw {

/// Nothing where the target has no model of it.
std::optional<analysis::TimeModel> modelled_time(ir::Program const& program, Backend const& backend,
                                                 Roofs const& roofs);

}  // namespace tw
