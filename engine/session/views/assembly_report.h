/// What is found out of a kernel's code, besides its texts.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/code_reporter.h"
#include "engine/session/code_report.h"

namespace tw::session {

/// `begun` has the text and its hot loop.
AssemblyReport completed(AssemblyReport begun, CodeReporter const& reporter, StopToken stop);

/// Empty where the program cannot be lowered.
std::vector<PassChange> pass_changes_of(ir::Program const& program, Backend const& backend);

}  // namespace tw::session
