/// Kernels that nobody has looked at are measured as they are by rule, one after the other, while
/// nothing else runs and nobody acts.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include "engine/session/state/guarded.h"
#include "engine/session/state/measure_runner.h"
#include "engine/session/state/session_state.h"

namespace tw::session {

struct Parts;

class Background {
public:
  explicit Background(Parts& parts) : parts_(parts) {}
  void switch_on(bool on);
  bool is_on() const;
  /// Somebody acts: what runs in the background ends, and begins again this much later than else.
  void hold(std::chrono::seconds longer);

private:
  using Clock = std::chrono::steady_clock;
  struct Plan {
    bool on = false;
    Clock::time_point not_before = {};
    Model model = {};
    std::map<int, Clock::time_point> tried = {};  ///< by rows of that model
  };
  static std::vector<int> without_time(Plan const& plan, State const& state);
  bool may_begin();
  void watch(StopToken stop);
  void measure_kernels(StopToken stop, Progress const& progress);
  void measure_kernel(Model const& model, int row, StopToken stop);
  void keep(Model const& model, int row, KernelWork const& work,
            MeasureRunner::Outcome const& outcome, StopToken stop);

  Parts& parts_;
  Guarded<Plan> plan_;
  std::unique_ptr<MeasureRunner>
      beside_;  ///< of the main queue's thread; the other one keeps its kernel
};

}  // namespace tw::session
