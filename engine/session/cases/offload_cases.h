/// Models over several devices: what one leaves to another, and what that costs.
#pragma once

#include <string>

#include "engine/compile/offload_rest.h"
#include "engine/session/model/model.h"

namespace tw::session {

/// `offload_rest` of the model's kernels.
Result<Offload> offload_rest_of(LoadedModel const& model, Backend const& able,
                                std::string const& home, std::string const& there);

/// What the cut copies between its places in each run.
struct CutCopies {
  int values = 0;
  int64_t bytes = 0;
};
/// Errors: those of `cut_plan`.
Result<CutCopies> copies_of(LoadedModel const& model, Cut const& cut);

}  // namespace tw::session
