/// A run of the timing model, one change after another.
#pragma once

#include <memory>

#include "targets/vta/simulator/costs.h"
#include "targets/vta/simulator/module_queues.h"
#include "targets/vta/simulator/port_cache.h"
#include "targets/vta/simulator/timeline_recorder.h"

namespace tw::vta {

/// A value: a copy is a checkpoint to step back to, together with a copy of what DRAM holds, which
/// it does not own. The stream is borrowed.
class TimedMachine {
public:
  /// Errors: those of `ModuleQueues::create`.
  static Result<TimedMachine> create(Configuration const& configuration,
                                     std::span<Instruction const> stream,
                                     TimingOptions const& options);

  bool done() const { return queues_.all_done(); }
  double cycle() const { return now_; }  ///< without launch
  Machine const& machine() const { return machine_; }
  ModuleQueues const& queues() const { return queues_; }
  /// Whether the instruction that the module holds has its tokens, and has begun.
  bool running(Module module) const { return agents_[size_t(module)].running; }
  /// Goes on to the next cycle in which something begins or ends. Errors: those of `run_events`.
  Status step(Dram dram);
  /// What `run_timed` returns; once all is done.
  TimedRun take();

private:
  /// Modules, and fetch as the last: who may want something of the port.
  static constexpr size_t kFetch = kModules, kAgents = kModules + 1;
  struct Agent {
    bool running = false;
    double begin = 0;         ///< of what it does
    double port = 0;          ///< cycles of the port that it still needs
    double until = 0;         ///< when what it does without the port ends
    double waits_since = -1;  ///< < 0: it does not
    double done_at = -1;      ///< < 0: not yet; from then on its tokens wait for room
    TokenQueue waits_for{};
  };

  TimedMachine(Configuration const& configuration, std::span<Instruction const> stream,
               TimingOptions const& options, ModuleQueues queues);
  bool ended(Agent const& agent) const;
  Result<bool> settle(Dram dram);
  bool end(Module module);
  void end_work(Module module);
  bool push_tokens(Module module);
  Result<bool> begin(Module module, Dram dram);
  bool wait(Module module);
  Status run_instruction(int32_t index, Dram dram);
  void account(Instruction const& instruction, double alone, double taken);
  bool fetch();
  void read_group();
  InstructionCost cost(int32_t index) const;
  double next_change() const;
  int users() const;
  void advance(double cycles);

  Machine machine_;
  std::span<Instruction const> stream_;
  TimingOptions options_;
  std::shared_ptr<std::vector<int64_t> const> missed_;  ///< bytes, by instruction
  ModuleQueues queues_;
  std::array<Agent, kAgents> agents_;
  int32_t group_end_ = 0;  ///< of the instructions that fetch has read
  double now_ = 0, finished_ = 0;
  BusyCycles busy_;
  std::optional<TimelineRecorder> recorder_;
};

}  // namespace tw::vta
