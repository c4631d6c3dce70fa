/// A schedule judged on further inputs than the first ones.
#pragma once

#include "engine/measure/kernel_bench.h"
#include "engine/session/use_cases.h"

namespace tw::session {

/// Whose kernel, and where it runs.
struct JudgedKernel {
  LoadedModel const& model;
  int kernel = 0;
  Backend const& backend;
  Device& device;
  BenchOptions const& options;
  Progress const& progress;
};

/// What a wrong schedule may hide on the first inputs: signs, widths, NaN; and how its roundings
/// differ from those of the plain nest. Errors: those of `kernel_reference`, of compiling and
/// running.
Status judge_further(JudgedKernel const& of, ir::Program const& plain, KernelCode const& code,
                     ScriptCheck& result);

}  // namespace tw::session
