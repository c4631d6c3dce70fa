/// The kernels of a network, searched with one budget: most of it goes where most is gained.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/tuner/tune.h"

namespace tw {

struct NetworkTask {
  std::string name;
  double seconds = 0;  ///< in the network by rule, all its calls together
  /// Begins its tuning; called where its turn comes.
  std::function<Result<std::unique_ptr<KernelTuning>>()> open;
};

struct NetworkBudget {
  int trials = 0;      ///< of all kernels together; 0: as the time allows
  double seconds = 0;  ///< of all, the last comparisons too; 0: as the trials take
  StopToken stop;
  StopToken enough = {};  ///< ends the search; what was found is compared
  /// Those whose trials were made elsewhere: only what is known of these is compared.
  std::optional<std::set<int>> known;
  std::function<void(int task)> on_turn;  ///< this one is searched now
  std::function<void(int task)> on_finals;
};

struct TaskOutcome {
  std::optional<TuneResult> result;  ///< of the last comparison; nothing: the rule stays
  int trials = 0;
  std::string left_out;  ///< why it could not be searched, a sentence; empty: it could
};

struct NetworkOutcome {
  std::vector<TaskOutcome> tasks;  ///< of each task, in their order
  TuneEnd end = TuneEnd::kTrials;
  double seconds = 0;
};

/// Errors: cancelled, before anything was compared; no_device, where a search has none left. A task
/// that cannot be searched is left out; a kernel that nothing was found for is not compared again.
Result<NetworkOutcome> tune_network(std::vector<NetworkTask> const& tasks,
                                    NetworkBudget const& budget);

}  // namespace tw
