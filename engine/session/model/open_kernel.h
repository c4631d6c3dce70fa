/// Kernels whose extents are sizes, as a session has them: shown with values, and open.
#pragma once

#include "engine/schedule/open_sizes.h"
#include "engine/schedule/schedule.h"
#include "engine/session/model/loaded_model.h"
#include "engine/te/te.h"

namespace tw::session {

/// The kernel with its sizes open; empty where it has none.
Result<std::optional<te::Kernel>> open_kernel(LoadedModel const& model, int kernel);

/// A schedule without a step: of the kernel with its sizes open, or with the values shown.
Result<Schedule> first_schedule(LoadedModel const& model, int kernel, bool open,
                                Backend const& backend);

/// One piece of code for a schedule whose sizes are open. Errors: those of `compile_kernel`.
Result<KernelCode> compile_open(SizedProgram const& program, Backend const& backend,
                                StopToken stop = {});

/// Which values of sizes are run, where all of them would be too many: the least and the greatest
/// together, and others between at even steps. `only`: sizes that have one value.
std::vector<std::vector<int64_t>> values_to_run(ir::Program const& program,
                                                std::map<std::string, int64_t> const& only);

}  // namespace tw::session
