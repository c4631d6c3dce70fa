#include "engine/session/views/tuning_views.h"

#include <algorithm>

namespace tw::session {
namespace {

TrialClass class_of(records::Outcome outcome) {
  switch (outcome) {
    case records::Outcome::kOk:
      return TrialClass::kRight;
    case records::Outcome::kWrong:
      return TrialClass::kWrong;
    case records::Outcome::kCompileError:
      return TrialClass::kCompileError;
    case records::Outcome::kInvalid:
      return TrialClass::kInvalid;
    case records::Outcome::kTimeout:
      return TrialClass::kTimeout;
    case records::Outcome::kCrash:
      return TrialClass::kCrash;
    case records::Outcome::kDeviceLost:
      return TrialClass::kDeviceLost;
  }
  return TrialClass::kInvalid;
}

/// Where a person's own schedule is searched: that itself is no find, and what is faster than it is
/// one, whatever the default takes.
void offer_beside(TuningRun& run) {
  if (run.best > 0 && run.trial(run.best)->knobs.empty()) run.best = 0;
  double least = run.from_ms();
  if (run.best > 0 || least <= 0) return;
  for (auto const& trial : run.trials)
    if (trial->ms > 0 && trial->ms < least) least = trial->ms, run.best = trial->number;
  if (run.best > 0) run.best_ms.reset();
}

}  // namespace

TuningDevice device_view(DeviceShare const& share) {
  TuningDevice device;
  device.name = share.name;
  device.does = DeviceDoes(int(share.work));
  device.trial = share.trial;
  device.trials = share.trials;
  device.lost = share.lost;
  device.reason = share.reason;
  return device;
}

void rest(std::vector<TuningDevice>& devices) {
  for (TuningDevice& device : devices)
    if (device.reason.empty()) device.does = DeviceDoes::kIdle;
}

TuningTrial trial_view(Attempt const& attempt) {
  TuningTrial trial;
  trial.number = attempt.number;
  trial.outcome = class_of(attempt.outcome);
  if (!attempt.seconds.empty()) trial.ms = std::ranges::min(attempt.seconds) * 1e3;
  trial.best_ms = attempt.best_seconds * 1e3;
  trial.predicted_ms = attempt.predicted_seconds.value_or(0) * 1e3;
  for (auto const& [knob, value] : attempt.point) trial.knobs.emplace_back(knob, value);
  trial.sentence = attempt.sentence;
  trial.script = attempt.script;
  return trial;
}

std::string words_of(TuneEnd end) {
  switch (end) {
    case TuneEnd::kTrials:
      return "all trials are done";
    case TuneEnd::kSeconds:
      return "the time limit is reached";
    case TuneEnd::kConverged:
      return "no new candidates";
    case TuneEnd::kStopped:
      return "stopped";
  }
  return "";
}

void take_result(TuneResult const& result, TuningRun& run) {
  run.best_ms = result.seconds * 1e3;
  run.default_ms = result.rule_seconds * 1e3;
  run.rejected = result.rejected;
  run.repeated = result.repeated;
  run.ended = words_of(result.end);
  for (auto const& trial : run.trials)
    if (trial->ms > 0 && trial->script == result.script && result.seconds < result.rule_seconds)
      run.best = trial->number;
  if (run.from > 0) offer_beside(run);
}

}  // namespace tw::session
