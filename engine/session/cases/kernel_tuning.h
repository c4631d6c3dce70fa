/// A kernel of a model on its way into the tuner, with what is known of it from earlier.
#pragma once

#include "engine/session/use_cases.h"

namespace tw::session {

/// Its trials go into the request's store; `not_stored` says why they do not from some point on,
/// and must outlive the tuning. Errors: unknown_knob, unknown_value, unknown_search;
/// kernel_too_large (its answers cannot be checked).
Result<std::unique_ptr<KernelTuning>> open_tuning(LoadedModel const& model, int kernel,
                                                  TuneRequest const& request,
                                                  std::shared_ptr<Backend const> backend,
                                                  Device& device, std::string& not_stored,
                                                  Progress const& progress);

}  // namespace tw::session
