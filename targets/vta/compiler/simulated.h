/// What the timing simulator and the prover say of a kernel, without a device.
#pragma once

#include <optional>

#include "engine/analysis/time_model.h"
#include "engine/hardware/timeline.h"
#include "targets/vta/stream/calls.h"

namespace tw::vta {

/// Nothing where no stream can be made of the calls.
std::optional<analysis::TimeModel> simulated_time(CallProgram const& program);

/// The first run of the accelerator (a stream that is too long for one is cut), with the prover's
/// verdict. Errors: those of `make_batches`, `run_timed` and `prove`.
Result<Timeline> simulated_timeline(CallProgram const& program);

}  // namespace tw::vta
