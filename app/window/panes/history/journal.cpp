// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/history/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_history() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<FindStep>("find step", "finds steps and notes of the history",
                        Rest<FindStep>{&FindStep::words, "WORDS"}),
          row<FoldHistory>("fold history", "folds long runs of steps into one",
                           Word<FoldHistory>{&FoldHistory::state, "STATE", {"on", "off"}}),
          row<FilterHistory>(
              "filter history", "shows only these states and the paths to them",
              Word<FilterHistory>{
                  &FilterHistory::which, "WHICH", {"all", "tagged", "named", "best", "found"}}),
          row<MarkStep>("focus", "moves the history's focus to a step",
                        Number(&MarkStep::step, "STEP"))
              .formerly("ring"),
          row<UnfoldSteps>("unfold", "unfolds a run of steps", Number(&UnfoldSteps::first, "STEP")),
          row<PickStep>("pick", "picks a step for a comparison, or unpicks it",
                        Number(&PickStep::step, "STEP")),
      },
      {
          {"history.focused", "", "the focused step", "history.marked"},
          {"history.picked", "", "the step picked for a comparison; -1: none"},
          {"history.folds", "", "number of folded runs of steps"},
          {"history.shown", "", "number of steps that the map shows"},
          {"history.baseline", "", "the baseline step; -1: none"},
          {"history.to_baseline", "",
           "how many times as fast as the baseline the current step is; 0: not known"},
          {"history.starred", "", "number of steps with a star", "history.tagged"},
          {"history.name", "words", "name of the current step, or none"},
          {"history.found", "", "number of steps found by the search"},
      }};
  return words;
}

}  // namespace tw
