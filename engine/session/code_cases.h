/// What `tw` says of a kernel's code, once.
#pragma once

#include "engine/session/code_report.h"
#include "engine/session/use_cases.h"

namespace tw::session {

/// The assembly of a kernel under a script, its hot loop, and what its instructions are and cost.
/// Errors: no_assembly (the target has none that it can read), those of `lower_kernel`.
Result<AssemblyReport> report_assembly(LoadedModel const& model, int kernel,
                                       NamedScript const& script, Backend const& backend,
                                       LowerOptions const& options);

}  // namespace tw::session
