/// Whether the order that tokens force makes a stream's result the same, whatever the modules'
/// speeds. Happens-before is program order within a module and the k-th pop of a queue after its
/// k-th push; two instructions that touch one element, one of them writing, must be ordered by it.
#pragma once

#include "targets/vta/hardware/instruction.h"
#include "targets/vta/simulator/machine.h"

namespace tw::vta {

/// Two instructions that nothing orders and one element that both touch.
struct Race {
  int64_t first = 0, second = 0;  ///< indices in the stream
  Memory memory = Memory::kInp;
  bool in_dram = false;
  int64_t element = 0;  ///< of `memory`; in DRAM a byte's address
  bool first_writes = false, second_writes = false;
};

/// What is no race and yet no good program.
struct Hazard {
  int64_t instruction = 0;
  /// "accumulator_reuse", "stale_out", "left_over_token", "lost_token", "uop_wrap",
  /// "not_waited_for"
  std::string code;
  std::string sentence;
};

struct ProofOptions {
  int64_t most_races = 100;  ///< reported; the count goes on
  /// Steps of one inner iteration until a GEMM's or ALU's result can be read again.
  int accumulator_latency = 3;
};
struct ProofResult {
  std::vector<Race> races;
  int64_t race_count = 0;  ///< of each kind a million at most
  std::vector<Hazard> hazards;
  std::string deadlock;  ///< empty: every pop has its push, and no cycle waits
  /// Empty: the micro-ops are those that lie in DRAM before the run. Else why nobody knows what
  /// the stream touches; the races are those of the micro-ops that lie there.
  std::string undecided;
  bool proven() const { return race_count == 0 && deadlock.empty() && undecided.empty(); }
  /// A stream may be free of races and still leave the next run a token, or store what is old.
  bool all_is_well() const { return proven() && hazards.empty(); }
};

/// Micro-ops are read from `dram`, which is left as it is. A store that is not done before FINISH
/// races with the host, which is told then that all is done. Errors: no_finish; those of `execute`
/// for an instruction that cannot run.
Result<ProofResult> prove(Configuration const& configuration, std::span<Instruction const> stream,
                          std::span<std::byte const> dram, ProofOptions const& options = {});

/// "instructions 3 (load inp) and 7 (gemm) both touch inp element 14, and nothing orders them: ..."
std::string to_sentence(Race const& race, std::span<Instruction const> stream);

}  // namespace tw::vta
