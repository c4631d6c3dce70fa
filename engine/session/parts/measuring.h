/// The states that a person makes are measured on the device in use, and checked behind it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/session/state/measure_runner.h"
#include "engine/session/state/session_state.h"

namespace tw::session {

struct Parts;
struct RunOptions;

class Measuring {
public:
  explicit Measuring(Parts& parts);

  /// Measures the current step if nobody has, then the schedule by rule and the plain nest, so that
  /// there is something to compare with; then every access of the current step is checked.
  void start();
  /// Job: every kernel inside the network. Errors: no_model.
  Status start_model();

  // On the thread of the main queue only.
  MeasureRunner& runner() { return *runner_; }
  void use(ChosenDevice chosen);

private:
  void measure(int kernel, int node, StopToken stop, Progress const& progress);
  /// Whether it was right and there may be more to find out with finer code.
  bool measure_with(CodeTier tier, Model const& model, int kernel, int node,
                    Schedule const& schedule, StopToken stop, Progress const& progress);
  void start_judging(int kernel, int node);
  void start_checking(int kernel, int node);
  void check(int kernel, int node, StopToken stop);
  /// False: the node is gone, or wrong by what was kept.
  bool keep_check(Model const& model, int kernel, int node, StopToken const& stop,
                  std::function<void(KernelWork&)> const& keep);

  void measure_model(Model const& model, RunOptions options, StopToken stop,
                     Progress const& progress);

  Parts& parts_;
  std::unique_ptr<MeasureRunner> runner_;
};

/// A state's time in its history, unless a better one is known there.
void keep_time(State const& state, History& history, int64_t flops, int node,
               MeasureRunner::Outcome const& outcome);

}  // namespace tw::session
