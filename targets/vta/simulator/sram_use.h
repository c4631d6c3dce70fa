/// Which elements of the memories are in use when: from what fills one until the last that reads
/// what it filled.
#pragma once

#include "engine/hardware/timeline.h"
#include "targets/vta/simulator/machine.h"

namespace tw::vta {

/// Part of a memory that an instruction touches. OUT counts as ACC: both have the same indices.
struct SramTouch {
  Memory memory = Memory::kInp;
  int32_t instruction = 0;
  int64_t begin = 0, end = 0;  ///< elements
  bool write = false;
  bool fresh = false;  ///< written without regard to what was there
};
/// Of nests the smallest range that holds all that they touch, by the micro-ops that `machine`
/// holds.
std::vector<SramTouch> touches_of(Instruction const& instruction, int32_t index,
                                  Machine const& machine);

struct TimedTouch {
  SramTouch touch;
  int64_t begun = 0, done = 0;  ///< cycles of the instruction
};
/// (cycle, bytes in use from then on) of `memory`. `touches`: by `begun`.
std::vector<std::pair<int64_t, int64_t>> bytes_in_use(Configuration const& configuration,
                                                      Memory memory,
                                                      std::span<TimedTouch const> touches);

}  // namespace tw::vta
