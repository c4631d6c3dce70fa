/// From a scheduled program to code: what runs once, when the model is loaded, and what runs then.
#pragma once

#include <optional>
#include <vector>

#include "engine/backend/backend.h"

namespace tw {

/// Calls pass the kernel's inputs, for `run` then the tensors `made`, then the outputs; `load` has
/// the tensors `made` as its outputs.
struct KernelCode {
  Artifact run;
  std::optional<Artifact> load;
  std::vector<ir::Buffer> made;
  std::vector<bool> read;  ///< per input: `run` reads it; a null pointer will do for the others
  std::string script;      ///< of the schedule that it was made with; empty: not told
};

/// Lowers and generates code: objects without libraries. Errors: those of the passes and of code
/// generation; cancelled.
Result<KernelCode> emit_kernel(ir::Program const& scheduled, Backend const& backend, CodeTier tier,
                               StopToken stop = {});

/// The same with a library for each part. Errors: those of `emit_kernel` and of linking.
Result<KernelCode> compile_kernel(ir::Program const& scheduled, Backend const& backend,
                                  CodeTier tier, StopToken stop = {});

/// The program under a script, replayed for the backend's target. An empty script is the plain
/// nest. Errors: script errors with their place; step_refused with the refusal's message and line
/// (Fault::kRefused).
Result<ir::Program> schedule_program(ir::Program const& program, std::string const& script,
                                     std::string const& file, Backend const& backend);

/// The schedule of the script `given`, or, where that is null, the one by the backend's rule.
/// Errors: those of `schedule_program`.
Result<Schedule> schedule_of(ir::Program const& program, std::string const* given,
                             Backend const& backend);

}  // namespace tw
