/// VTA as a target: its passes, its code, which is calls of its runtime, and what its simulator
/// says of them.
#pragma once

#include "engine/backend/backend.h"

namespace tw::vta {

/// Errors: illegal_configuration.
Result<std::shared_ptr<Backend const>> create_vta_backend(Hardware const& hardware);

}  // namespace tw::vta
