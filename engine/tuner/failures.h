/// Whose a failure is that came of a trial. Only the kernel's says something about the kernel: what
/// a device, or this machine, could not do is never learned as the kernel's. One table for all.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/records/trial.h"

namespace tw {

enum class FailureOwner : uint8_t {
  kKernel,  ///< it is counted, and the search is told
  kDevice,  ///< the candidate goes to another device, or back to this one when it answers
  kHere,    ///< this machine's: nothing can be compiled, the search ends with the reason
};

struct Failure {
  std::string_view code;  ///< of an error
  FailureOwner owner = FailureOwner::kKernel;
  records::Outcome outcome = records::Outcome::kCompileError;
};

/// The codes that are known. What stands nowhere is the device's where a run failed by its
/// environment, else the kernel's.
std::span<Failure const> failure_table();

/// Of a device's answer, or of the lack of one.
Failure failure_of_run(Error const& error);
/// Of a compilation on this machine.
Failure failure_of_code(Error const& error);

/// Why no clock can have measured these; empty: one can. Wrong by the device, whatever the kernel.
std::string impossible_times(std::vector<double> const& samples);

}  // namespace tw
