/// A driver whose accelerator is simulated, and whose DRAM is this process' memory.
#pragma once

#include <memory>

#include "targets/vta/runtime/driver.h"

namespace tw::vta {

enum class SimulatedClock : uint8_t {
  kNone,   ///< bytes alone
  kModel,  ///< runs also take the time that the timing model says
};

/// `most_bytes`: of DRAM. Errors: tensor_too_large (this machine has not so much).
Result<std::unique_ptr<Driver>> create_simulator(Configuration const& configuration,
                                                 int64_t most_bytes, SimulatedClock clock);

}  // namespace tw::vta
