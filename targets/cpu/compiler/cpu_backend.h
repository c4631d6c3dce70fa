/// The CPU as a target: LLVM code for the processor that a hardware description names.
#pragma once

#include <memory>

#include "engine/backend/backend.h"

namespace tw {

/// `generator`: the program tw-codegen, in whose processes code is generated, so that a fatal error
/// of LLVM is an error of one kernel; empty: in this process, which such an error ends.
Result<std::shared_ptr<Backend const>> create_cpu_backend(Hardware const& hardware,
                                                          std::string generator = {});

}  // namespace tw
