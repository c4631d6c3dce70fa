/// What a described GPU can do in a second.
#pragma once

#include <optional>

#include "engine/hardware/hardware.h"
#include "targets/shared/gpu/time_model.h"

namespace tw::cuda {

/// What the description says: multiply-adds of all lanes, and memories. Nothing: it lacks a number.
std::optional<Roofs> roofs_of(Hardware const& machine);

/// Bandwidths are those of `roofs`. Errors: wrong_processor, where the description lacks a number.
Result<gpu::Rates> rates_of(Hardware const& hardware, Roofs const& roofs);

}  // namespace tw::cuda
