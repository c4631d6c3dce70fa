/// How soon a nest of micro-ops needs a result again that it has just made.
#pragma once

#include "targets/vta/simulator/machine.h"

namespace tw::vta {

struct Reuse {
  int64_t distance = 0;       ///< steps from one micro-op to the other, at least 1
  uint32_t from = 0, to = 0;  ///< micro-ops, as the memory of them counts
  int64_t accumulator = 0;    ///< that the first writes and the second reads
};

/// Which steps follow one another without a pause. The published HLS design pipelines the loop over
/// micro-ops alone, and drains at the end of each inner iteration (that is what the timing model's
/// constant of that name stands for); a pipeline over all loops has no such pauses.
enum class NestSteps : uint8_t { kOfOneIteration, kOfAll };

/// The first pair of steps, anywhere in the two loops, of which the second reads what the first
/// writes less than `latency` steps before it. `uops`: those of the nest's range.
std::optional<Reuse> close_reuse(Instruction const& instruction, std::span<MicroOp const> uops,
                                 int latency, NestSteps steps);

}  // namespace tw::vta
