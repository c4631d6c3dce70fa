/// LLVM's machine for a CPU.
#pragma once

#include <string>

#include "engine/hardware/hardware.h"
#include "targets/shared/llvm/machine.h"

namespace tw {

/// For the processor that `hardware` describes, vectors as wide as it has. `generator`: see
/// `MachineOptions`. Errors: those of `Machine::create`.
Result<Machine> create_cpu_machine(Hardware const& hardware, std::string generator = {});

}  // namespace tw
