/// A kernel of a model on its way into the tuner, with what is known of it from earlier.
#pragma once

#include "engine/session/cases/trial_keeper.h"
#include "engine/session/use_cases.h"

namespace tw::session {

/// Its trials go to `keeper`, which is of the request's store and outlives the tuning; it may end
/// the search. Errors: unknown_knob, unknown_value, unknown_search;
/// kernel_too_large (its answers cannot be checked).
Result<std::unique_ptr<KernelTuning>> open_tuning(LoadedModel const& model, int kernel,
                                                  TuneRequest const& request,
                                                  std::shared_ptr<Backend const> backend,
                                                  Device& device, TrialKeeper& keeper,
                                                  Progress const& progress);

}  // namespace tw::session
