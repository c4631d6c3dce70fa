/// What of a configuration costs area: bytes of its memories.
#pragma once

#include <array>

#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// The memories on the chip, in the order in which they are told.
inline constexpr std::array<Memory, kMemories> kOnChip = {Memory::kUop, Memory::kInp, Memory::kWgt,
                                                          Memory::kAcc, Memory::kOut};

/// Of all memories on the chip.
int64_t sram_bytes(Configuration const& configuration);

}  // namespace tw::vta
