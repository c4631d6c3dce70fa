/// All kernels of a plan to code, several at a time, with a cache.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/compile/code_cache.h"
#include "engine/compile/kernel_code.h"
#include "engine/compile/plan.h"
#include "engine/support/base/job.h"

namespace tw {

struct CompileOptions {
  std::map<int, std::string> scripts;  ///< kernel -> schedule script; others: the backend's rule
  CodeTier tier = CodeTier::kFull;
  CodeCache* cache = nullptr;  ///< where kernels are looked for and kept; null: nowhere
  int threads = 0;             ///< 0: one per core
  StopToken stop;
  Progress progress;  ///< called from the caller's thread only
};

/// Code, one per kernel of the plan. `backends`: of the plan's places. Errors: cancelled,
/// step_refused (a script that does not fit), those of `emit_kernel`; the message names the kernel.
Result<std::vector<KernelCode>> compile_plan(Plan const& plan,
                                             std::span<Backend const* const> backends,
                                             CompileOptions const& options);
/// Of a plan of one place.
Result<std::vector<KernelCode>> compile_plan(Plan const& plan, Backend const& backend,
                                             CompileOptions const& options);

/// The script that `scripts` has for a kernel; null: none.
std::string const* given_script(std::map<int, std::string> const& scripts, int kernel);

}  // namespace tw
