/// Searches compared on what a kernel's points took.
#pragma once

#include "engine/session/use_cases.h"
#include "engine/tuner/study/table.h"

namespace tw::session {

/// Measures points of a kernel's space as a tuning measures them: all there are, or `most` by
/// chance. Of `request` the options for searching are not used. Errors: those of `tune_kernel`.
Result<StudyTable> measure_table(LoadedModel const& model, int kernel, TuneRequest const& request,
                                 size_t most, std::shared_ptr<Backend const> backend,
                                 Device& device, Progress const& progress = {});

}  // namespace tw::session
