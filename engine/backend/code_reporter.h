/// A backend that can say what its code is and costs.
#pragma once

#include <span>

#include "engine/ir/program.h"
#include "engine/support/base/error.h"
#include "engine/support/base/job.h"
#include "engine/target/code_report.h"

namespace tw {

/// What such a backend is besides a `Backend`.
class CodeReporter {
public:
  virtual ~CodeReporter() = default;
  /// Of the backend's listings: the one with instructions.
  virtual std::string instructions_listing() const = 0;
  /// `loop`: the lines of the listing that are one iteration, in order; empty: nothing is modelled.
  /// Errors: code_generation_failed, code_generator_missing, cancelled.
  virtual Result<CodeReport> report(std::string const& listing, std::span<int32_t const> loop,
                                    StopToken stop) const = 0;
  /// Of the code that finalists are measured with. Errors: those of `Backend::generate`.
  virtual Result<std::vector<CodeRemark>> remarks(ir::KernelIr const& kernel,
                                                  StopToken stop) const = 0;
};

}  // namespace tw
