// What a tuning's values say of themselves: facts read it, who reads journals needs no session.
#include <algorithm>

#include "engine/session/tuning.h"

namespace tw::session {

std::string_view name_of(TuningState state) {
  constexpr std::string_view kNames[] = {"preparing", "running", "paused", "comparing", "ended"};
  return kNames[size_t(state)];
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
  if (number == 0) return runs.empty() ? nullptr : runs.back().get();
  auto found = std::ranges::find_if(runs, [&](auto const& one) { return one->number == number; });
  return found == runs.end() ? nullptr : found->get();
}

}  // namespace tw::session
