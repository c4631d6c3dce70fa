/// What the timing model does, as the timeline that people see.
#pragma once

#include "targets/vta/simulator/sram_use.h"
#include "targets/vta/simulator/tokens.h"

namespace tw::vta {

/// Times are cycles, not rounded. A value.
class TimelineRecorder {
public:
  TimelineRecorder(Configuration const& configuration, std::span<Instruction const> stream);

  /// Fetch handed `instruction` out at `now`; it was at it since `begin`, and found its queue full
  /// since `full_since` (< 0: it did not).
  void fetched(int32_t instruction, double begin, double full_since, double now);
  /// `module` held `instruction`, but lacked a token: of a buffer that is free, or of data.
  void stalled(Module module, int32_t instruction, bool buffer, double begin, double end);
  void popped(int32_t instruction, double now);
  /// `machine` is as it is after the instruction.
  void began(int32_t instruction, Machine const& machine, double now);
  /// `alone`: the cycles that it takes with nobody beside it at the port.
  void done(Module module, int32_t instruction, double begin, double alone, double end);
  void pushed(int32_t instruction, TokenQueue queue, double now);
  /// `instruction` was done, and a token of it had no room in its queue.
  void waited_for_room(Module module, int32_t instruction, double begin, double end);
  /// The port worked for `instruction`.
  void port(int32_t instruction, bool write, double begin, double end);

  Timeline take(double end);

private:
  void add_span(int32_t lane, int32_t kind, double begin, double end, int32_t instruction);
  void count(TokenQueue queue, int change, double now);
  void add_memories();

  Configuration configuration_;
  std::span<Instruction const> stream_;
  Timeline timeline_;
  std::array<std::vector<std::pair<int64_t, int32_t>>, kTokenQueues>
      pushes_;  ///< cycle, instruction
  std::array<size_t, kTokenQueues> pops_{};
  std::array<size_t, 5> last_span_{};  ///< of each lane: its index + 1
  std::vector<TimedTouch> touches_;
  std::vector<int64_t> done_;  ///< of each instruction
};

}  // namespace tw::vta
