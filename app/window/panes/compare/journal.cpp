// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/compare/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_compare() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<CompareStates>("compare", "compares two steps of the history",
                             Number(&CompareStates::before, "STEP"),
                             Number(&CompareStates::after, "STEP")),
          row<CompareDevices>(
              "compare on devices", "compares one step of the history on two devices",
              Number(&CompareDevices::state, "STEP"), Word(&CompareDevices::before, "DEVICE"),
              Word(&CompareDevices::after, "DEVICE")),
          row<StopComparing>("stop comparing", "closes the comparison"),
          row<ShowComparison>(
              "comparison", "sets what the comparison shows",
              Word<ShowComparison>{&ShowComparison::what, "WHAT", {"stage", "form"}},
              Word(&ShowComparison::value, "VALUE")),
      },
      {
          {"compare", "words", "names of the compared states, or none"},
      }};
  return words;
}

}  // namespace tw
