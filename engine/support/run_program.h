/// A program that is run to its end.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

struct ProgramRun {
  int exit_code = 0;   ///< of a program that a signal ended: 128 and its number
  std::string output;  ///< what it wrote to standard output and standard error
};

/// `command`: a program, found on the path when it has no slash, and its arguments. It reads
/// nothing. Errors: process_unavailable; program_timed_out, where it was killed.
Result<ProgramRun> run_program(std::vector<std::string> const& command,
                               std::chrono::milliseconds limit);

}  // namespace tw
