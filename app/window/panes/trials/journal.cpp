// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/trials/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_trials() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<KeepTrials>("keep trials",
                          "keeps the trials between two values of a knob, or of time in ms; "
                          "without values all of that axis",
                          Word(&KeepTrials::axis, "KNOB"),
                          Optional<KeepTrials>{&KeepTrials::low, "LOW"},
                          Optional<KeepTrials>{&KeepTrials::high, "HIGH"}),
          row<KeepAllTrials>("keep all trials", "shows every trial of a tuning again"),
          row<KeepFastestTrials>("keep fastest", "keeps the fastest part of a tuning's trials",
                                 Number(&KeepFastestTrials::percent, "PERCENT")),
          row<ChooseTrialAxis>("slice", "shows one knob of a tuning against the time",
                               Word(&ChooseTrialAxis::axis, "KNOB")),
          row<TrialTimeAxis>(
              "trial time", "sets the axis of time of trials by their knobs",
              Word<TrialTimeAxis>{&TrialTimeAxis::scale, "SCALE", {"logarithmic", "linear"}}),
      },
      {
          {"trials.axes", "", "number of knobs that the trials differ in"},
          {"trials.kept", "", "number of trials that are kept"},
          {"trials.fastest", "", "number of the fastest trial of those that are kept"},
          {"trials.slice", "words", "the knob that is shown against the time"},
      }};
  return words;
}

}  // namespace tw
