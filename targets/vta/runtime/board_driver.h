/// A driver of a real accelerator, through its registers and contiguous memory.
#pragma once

#include <memory>

#include "targets/vta/runtime/contiguous_memory.h"
#include "targets/vta/runtime/driver.h"
#include "targets/vta/runtime/registers.h"

namespace tw::vta {

std::unique_ptr<Driver> create_board_driver(Configuration const& configuration,
                                            BoardLayout const& layout,
                                            std::unique_ptr<Registers> registers,
                                            std::unique_ptr<ContiguousMemory> memory);

/// With what this machine has: registers by /dev/mem, memory by u-dma-buf or else the vendor's
/// library. Errors: no_such_hardware.
Result<std::unique_ptr<Driver>> open_board(Configuration const& configuration, int64_t most_bytes);

}  // namespace tw::vta
