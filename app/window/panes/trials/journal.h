// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the trials by their knobs.
#pragma once

#include <string>

namespace tw::journal {

/// Trials between two values of a knob, or two times in ms ("time") are kept.
struct KeepTrials {
  std::string axis;
  std::string low, high;  ///< empty: all
};
struct KeepAllTrials {};
struct KeepFastestTrials {
  double percent = 100;
};
struct ChooseTrialAxis {
  std::string axis;
};
struct TrialTimeAxis {
  std::string scale;  ///< "logarithmic" or "linear"
};

}  // namespace tw::journal
