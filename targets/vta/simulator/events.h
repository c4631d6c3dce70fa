/// The accelerator as four modules with queues between them: any legal order of what they do, by a
/// seed. What a stream leaves to chance shows as results that differ from seed to seed.
#pragma once

#include "targets/vta/simulator/machine.h"

namespace tw::vta {

struct EventOptions {
  uint64_t seed = 1;  ///< of durations; the same one gives the same run
  BeforeEach before_each = {};
};
struct EventRun {
  Machine machine;
  std::vector<int32_t> order;  ///< indices of instructions, in the order in which they began
  std::array<int64_t, 4>
      tokens_left{};  ///< load->compute, compute->load, compute->store, store->compute
};

/// Errors: those of `run_behavioural`; deadlock, whose sentence says the cycle: which module waits
/// with which instruction for a token of whom; left_over_tokens are no error.
Result<EventRun> run_events(Configuration const& configuration, std::span<Instruction const> stream,
                            Dram dram, EventOptions const& options = {});

}  // namespace tw::vta
