// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/suggestions/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_suggestions() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<NextOf>("suggestions for",
                      "lists the suggestions for the selected loop (selection), its block (block), "
                      "a tensor (its name), or all",
                      Word(&NextOf::what, "WHAT"))
              .formerly("next of"),
          row<PointAt>("preview",
                       "previews a step without applying it; without one, ends the preview",
                       OptionalRest<PointAt>{&PointAt::line, "STEP"})
              .formerly("point"),
      },
      {
          {"suggestions.count", "", "number of suggestions that are listed", "next.moves"},
          {"suggestions.for", "words",
           "what the suggestions are for: selection, block, a tensor, or all", "next.of"},
          {"preview", "words", "the step that is previewed, or nothing", "pointed"},
          {"preview.speedup", "", "modelled speedup of the kernel by this step; 0: not known",
           "pointed.gain"},
      },
      {},
      {{"next", "suggestions"}}};
  return words;
}

}  // namespace tw
