/// One run of a schedule as checked code: what the comparison of results cannot see.
#pragma once

#include "engine/history/history.h"
#include "engine/measure/kernel_bench.h"
#include "engine/session/use_cases.h"

namespace tw::session {

/// Checked code takes a few nanoseconds per operation: what is larger would keep the device from
/// the next measurement.
inline constexpr int64_t kMostCheckedOperations = 4'000'000'000;

/// The interpreter counts the terms of sums up to so many runs of blocks: some seconds. The results
/// of larger kernels are compared, on inputs whose every term shows.
inline constexpr double kMostCountedRuns = 4e6;

/// Compiles with checks and runs once on the bench's inputs, then counts the terms of every sum.
/// `operations` of the kernel over `most`: it does not run, and says so. Errors: those of lowering,
/// compiling and the device.
Result<CheckedRun> run_checked(ir::Program const& program, int64_t operations, int64_t most,
                               Backend const& backend, KernelBench& bench,
                               BenchOptions const& options);

/// The node's verdict there after that run: wrong with the access, or right with one more reason.
History with_checked_run(History const& history, int node, TriedOn const& where,
                         Result<CheckedRun> const& run);

}  // namespace tw::session
