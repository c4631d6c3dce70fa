/// Tuning of a kernel, as a job of its own kind that goes on while the person edits.
///
/// It has a connection to the device of its own, and so a process of its own on this machine. Both
/// would disturb each other's times: between two trials the tuner waits until nothing else is
/// measured, and what was measured beside a trial is measured again when the machine is quiet.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/session/state/tuned_on.h"

namespace tw {
class OpenScript;
}

namespace tw::session {

struct Parts;
class TuningClock;

class KernelTuning {
public:
  explicit KernelTuning(Parts& parts) : parts_(parts) {}
  /// Errors: bad_budget, no_kernel, tuning_goes_on, those of devices, searches and open scripts.
  Status start(Tune const& wanted);

private:
  struct Job {
    ModelSource from = {};
    TuningRun begun = {};
    Tune wanted;
    std::vector<std::string> devices = {};
    std::shared_ptr<OpenScript const> script = {};  ///< null: the target's template
  };
  struct OnKind;
  // On the tuner's thread.
  void run(Job const& job, StopToken stop);
  void search_kinds(Job const& job, std::vector<DeviceKind> const& kinds, StopToken stop);
  /// The run's number; 0: what was begun is no longer shown.
  int begin_run(Job const& job, DeviceKind const& kind, bool first);
  Result<SearchOnKind> search_of(Job const& job, DeviceKind const& kind, OnKind& on,
                                 StopToken stop);
  // On the thread of a search.
  void end_run(OnKind const& of, FoundOnKind const& found, StopToken stop);
  void take_device(OnKind const& on, int device, DeviceShare const& share);
  void take_attempt(OnKind& on, Attempt const& attempt, StopToken stop);
  void pause_between_trials(OnKind& on, StopToken stop);
  void change_run(int number, std::function<void(TuningRun&)> const& change);

  Parts& parts_;
};

}  // namespace tw::session
