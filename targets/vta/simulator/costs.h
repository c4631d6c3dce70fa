/// What one instruction costs in the timing model.
#pragma once

#include "targets/vta/simulator/timing.h"

namespace tw::vta {

/// In cycles; `port` of DRAM, where it has a part of it, else `own`.
struct InstructionCost {
  double port = 0, own = 0;
};
/// `missed`: bytes of its transfer that the cache does not hold.
InstructionCost cost_of(Configuration const& configuration, TimingConstants const& constants,
                        Instruction const& instruction, int64_t missed);

/// Bytes that a long transfer to or from that memory moves in a cycle, where nothing is known of
/// what came before: weights come from main memory, all else is in the cache.
double port_rate(Configuration const& configuration, TimingConstants const& constants,
                 Memory memory);
/// Of the port: `rows` transfers of `bytes` altogether, to or from that memory.
double port_cycles(Configuration const& configuration, TimingConstants const& constants,
                   Memory memory, int64_t rows, int64_t bytes);

}  // namespace tw::vta
