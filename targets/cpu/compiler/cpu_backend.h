/// The CPU as a target: LLVM code for the processor that a hardware description names.
#pragma once

#include <memory>

#include "engine/backend/backend.h"

namespace tw {

Result<std::shared_ptr<Backend const>> create_cpu_backend(Hardware const& hardware);

}  // namespace tw
