/// LLVM's machine for a CPU.
#pragma once

#include <string>

#include "engine/hardware/hardware.h"
#include "targets/shared/link/link.h"
#include "targets/shared/llvm/machine.h"

namespace tw {

/// For the processor that `hardware` describes, vectors as wide as it has. `generator`: see
/// `MachineOptions`. Errors: those of `Machine::create`.
Result<Machine> create_cpu_machine(Hardware const& hardware, std::string generator = {});

/// How its kernels are linked: 32-bit Arm does arithmetic of 64 bits, and rounds, by calls into the
/// libraries of every C++ program, which the process that loads kernels is.
LinkOptions cpu_link_options(Hardware const& hardware);

}  // namespace tw
