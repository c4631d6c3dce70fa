// What a tuning's values say of themselves: facts read it, who reads journals needs no session.
#include <algorithm>

#include "engine/session/tuning.h"

namespace tw::session {

std::string_view name_of(TuningState state) {
  constexpr std::string_view kNames[] = {"preparing", "running", "paused", "comparing", "ended"};
  return kNames[size_t(state)];
}

std::string_view name_of(DeviceDoes does) {
  constexpr std::string_view kNames[] = {"idle", "compiling", "measuring", "lost", "quarantine"};
  return kNames[size_t(does)];
}

std::string_view name_of(KernelTurn turn) {
  constexpr std::string_view kNames[] = {"waits", "searched", "compared",
                                         "tuned", "stays",    "left out"};
  return kNames[size_t(turn)];
}

std::string_view name_of(ModelTuningState state) {
  constexpr std::string_view kNames[] = {"timing",    "arranging", "searching", "paused",
                                         "comparing", "networks",  "ended"};
  return kNames[size_t(state)];
}

double TuningSpace::size(std::vector<std::string> const& kept) const {
  double size = 1;
  for (SpaceKnob const& knob : knobs)
    if (std::ranges::find(kept, knob.name) == kept.end()) size *= knob.values;
  return size;
}

double TuningRun::from_ms() const {
  if (from == 0) return 0;
  for (auto const& trial : trials)
    if (trial->knobs.empty() && trial->ms > 0) return trial->ms;
  return 0;
}

int TuningRun::failed() const {
  return int(std::ranges::count_if(
      trials, [](auto const& trial) { return trial->outcome != TrialClass::kRight; }));
}

TuningTrial const* TuningRun::trial(int wanted) const {
  bool known = wanted >= 1 && size_t(wanted) <= trials.size();
  return known ? trials[size_t(wanted) - 1].get() : nullptr;
}

TuningRun const* TuningView::run(int number) const {
  if (number == 0 && !runs.empty()) number = runs.back()->group;
  auto found = std::ranges::find_if(runs, [&](auto const& one) { return one->number == number; });
  if (found != runs.end()) return found->get();
  bool wants_last = !runs.empty() && number == runs.back()->group;  // its first one was cleared
  return wants_last ? runs.back().get() : nullptr;
}

bool TuningView::goes_on() const {
  return std::ranges::any_of(runs, [](auto const& run) { return run->goes_on(); });
}

bool TuningView::model_goes_on() const {
  auto goes_on = [](auto const& one) { return one->goes_on(); };
  return (model && model->goes_on()) || std::ranges::any_of(beside, goes_on);
}

}  // namespace tw::session
