/// What lies between the modules while a stream runs: commands that wait, tokens that wait. Says
/// who may go on, and who waits for whom where nobody may. Of time it knows nothing.
#pragma once

#include "targets/vta/simulator/machine.h"
#include "targets/vta/simulator/tokens.h"

namespace tw::vta {

/// Of the queues of tokens.
enum class TokenRoom : uint8_t { kOfDesign, kUnbounded };

/// A value; the stream is borrowed. A module takes a command out of its queue, waits for the tokens
/// that it pops, runs, pushes, and takes the next.
class ModuleQueues {
public:
  /// Errors: those of `check_end`, and of `check_fields` and `check_tokens` with the instruction.
  static Result<ModuleQueues> create(Configuration const& configuration,
                                     std::span<Instruction const> stream,
                                     TokenRoom room = TokenRoom::kOfDesign);

  /// The next instruction that fetch hands out; -1: all are.
  int32_t next_fetched() const;
  bool has_room() const;  ///< for the next one, in its module's queue
  void hand_out();

  /// The instruction that `module` holds; -1: none.
  int32_t held(Module module) const { return held_[size_t(module)]; }
  /// Takes the next command, if there is one and none is held. False: nothing happened.
  bool take(Module module);
  /// The first token that the held instruction still lacks; none: it may run.
  std::optional<TokenQueue> missing(Module module) const;
  void pop(Module module);  ///< its tokens; none is missing
  /// Whether the held instruction has popped its tokens.
  bool begun(Module module) const { return begun_[size_t(module)]; }
  /// The held instruction is done: pushes its tokens, as many as have room; when all are, none is
  /// held any more. A token that finds its queue full waits for room, or is lost where the design
  /// loses it. False: nothing happened.
  bool finish(Module module);
  /// Tokens that were lost in full queues.
  int64_t lost() const { return lost_; }

  bool all_done() const;
  int64_t waiting(TokenQueue queue) const {
    return pushed_[size_t(queue)] - popped_[size_t(queue)];
  }
  /// How many were ever pushed and popped: the k-th pop takes the k-th push.
  int64_t pushed(TokenQueue queue) const { return pushed_[size_t(queue)]; }
  int64_t popped(TokenQueue queue) const { return popped_[size_t(queue)]; }
  /// Where nobody can go on: who waits with which instruction for a token of whom.
  Error deadlock(int64_t cycle) const;

private:
  ModuleQueues(Configuration const& configuration, std::span<Instruction const> stream);
  std::string wait_of(Module module) const;
  std::string wait_for_room(Module module) const;
  std::optional<Module> blocked_by(Module module) const;

  std::span<Instruction const> stream_;
  int64_t command_queue_, token_queue_;
  bool tokens_stall_;
  std::vector<uint8_t> modules_;                      ///< of each instruction
  std::array<std::vector<int32_t>, kModules> of_;     ///< instructions of each module
  std::array<int64_t, kModules> handed_{}, taken_{};  ///< of each module's instructions
  std::array<int32_t, kModules> held_{-1, -1, -1};
  std::array<bool, kModules> begun_{};
  std::array<int, kModules> tokens_given_{};  ///< of the held instruction's pushes
  int64_t lost_ = 0;
  std::array<int64_t, kTokenQueues> pushed_{}, popped_{};
  int32_t fetched_ = 0;
};

}  // namespace tw::vta
