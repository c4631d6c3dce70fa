/// How far a simulation is, and whether it is to go on.
#pragma once

#include "targets/vta/commands/shared/group.h"
#include "targets/vta/simulator/machine.h"

namespace tw::vta {

/// Asked before each instruction: one may take seconds, another none. Errors: cancelled.
class Watch {
public:
  Watch(std::string what, std::span<Instruction const> stream, StopToken stop,
        Progress const& progress);
  Status operator()(int32_t instruction);

private:
  std::string what_;
  std::span<Instruction const> stream_;
  StopToken stop_;
  Progress const& progress_;
  int64_t begun_ = 0, steps_ = 0;  ///< steps: since something was said
};

}  // namespace tw::vta
