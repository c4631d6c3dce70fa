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
          row<MarkStep>("ring", "moves the history's focus ring to a step",
                        Number(&MarkStep::step, "STEP")),
          row<UnfoldSteps>("unfold", "unfolds a run of steps", Number(&UnfoldSteps::first, "STEP")),
          row<PickStep>("pick", "picks a step for a comparison, or unpicks it",
                        Number(&PickStep::step, "STEP")),
      },
      {
          {"history.marked", "", "the step with the focus ring"},
          {"history.picked", "", "the step picked for a comparison; -1: none"},
          {"history.folds", "", "number of folded runs of steps"},
          {"history.found", "", "number of steps found by the search"},
      }};
  return words;
}

}  // namespace tw
