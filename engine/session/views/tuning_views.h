/// A tuner's values as they are shown.
#pragma once

#include "engine/session/tuning.h"
#include "engine/tuner/tune.h"

namespace tw::session {

TuningTrial trial_view(Attempt const& attempt);
TuningDevice device_view(DeviceShare const& share);
/// None of them does anything now; those that are lost stay so.
void rest(std::vector<TuningDevice>& devices);
/// A sentence's part: "all trials are done".
std::string words_of(TuneEnd end);
/// Everything that the result of a search says.
void take_result(TuneResult const& result, TuningRun& run);

}  // namespace tw::session
