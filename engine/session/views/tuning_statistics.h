/// What the trials of a tuning say together: which knobs decide the time, and how well the search
/// knew it before.
#pragma once

#include "engine/session/tuning.h"

namespace tw::session {

/// How much of what trials differ in one knob tells alone.
struct KnobShare {
  std::string knob;
  double share = 0;  ///< of the variance of the logarithm of time, 0..1
  int values = 0;    ///< different ones that were tried
};

struct KnobImportance {
  std::vector<KnobShare> knobs;  ///< the largest share first; those with one value are left out
  int trials = 0;                ///< that it rests on: those with a time and a point
};

/// One knob at a time, by the means of the trials that share its value. What as many groups drawn
/// by chance would explain is taken off (epsilon squared): a knob that has another value in each
/// trial explains nothing.
KnobImportance knob_importance(TuningView const& runs);

/// Times that the search predicted beside those that were measured.
struct PredictionQuality {
  int trials = 0;  ///< with both
  double tau = 0;  ///< Kendall's: 1 the same order, -1 the reverse
};
PredictionQuality prediction_quality(TuningView const& runs);

}  // namespace tw::session
