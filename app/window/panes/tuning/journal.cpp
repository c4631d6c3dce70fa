// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/tuning/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_tuning() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<SelectTrial>("select trial", "selects a trial of the tuning",
                           Number(&SelectTrial::trial, "TRIAL"),
                           Named<SelectTrial, int>{&SelectTrial::run, "of"})
              .replacing(),
      },
      {
          {"tuning.choices", "", "number of knobs in the dialog of a tuning, or 0"},
          {"tuning.points", "", "number of configurations that it leaves to the search, or 0"},
          {"trial", "", "number of the selected trial of a tuning, or 0"},
      }};
  return words;
}

}  // namespace tw
