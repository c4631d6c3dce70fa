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
          row<FoldHistory>("fold history", "draws long runs of steps as one",
                           Word<FoldHistory>{&FoldHistory::state, "STATE", {"on", "off"}}),
          row<MarkStep>("ring", "moves the ring of the history to a step",
                        Number(&MarkStep::step, "STEP")),
          row<UnfoldSteps>("unfold", "draws the steps of a fold one by one",
                           Number(&UnfoldSteps::first, "STEP")),
          row<PickStep>("pick", "picks a step for a comparison, or unpicks it",
                        Number(&PickStep::step, "STEP")),
      },
      {
          {"history.marked", "", "the step that has the ring"},
          {"history.picked", "", "the step that is picked for a comparison; -1: none"},
          {"history.folds", "", "runs of steps that are drawn as one"},
          {"history.found", "", "steps that have the words that were looked for"},
      }};
  return words;
}

}  // namespace tw
