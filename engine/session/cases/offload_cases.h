/// What a device that runs a model has no code for, by the model as sessions know it.
#pragma once

#include <string>

#include "engine/compile/offload_rest.h"
#include "engine/session/model/model.h"

namespace tw::session {

/// `offload_rest` of the model's kernels.
Result<Offload> offload_rest_of(LoadedModel const& model, Backend const& able,
                                std::string const& home, std::string const& there);

}  // namespace tw::session
