/// One piece of code for all values of a schedule's sizes, run with several of them.
#pragma once

#include "engine/measure/kernel_bench.h"
#include "engine/schedule/schedule.h"
#include "engine/session/use_cases.h"

namespace tw::session {

/// What it computes, against the kernel's reference for each value. Of a schedule with open sizes.
/// Errors: those of code generation, of the device, and of the reference.
Result<SizesCheck> check_sizes(LoadedModel const& model, int kernel, Schedule const& schedule,
                               std::map<std::string, int64_t> const& only, Backend const& backend,
                               Device& device, BenchOptions const& options,
                               Progress const& progress);

/// The script with steps that open these sizes showing the values; names that it has no such step
/// for are left in `values`. Errors: those of scripts.
Result<std::string> script_showing(NamedScript const& script, MacroSet const* macros,
                                   std::map<std::string, int64_t>& values);

}  // namespace tw::session
