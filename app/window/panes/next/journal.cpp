// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/next/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_next() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<NextOf>("next of",
                      "lists the suggestions for the selected loop (selection), its block (block), "
                      "a tensor (its name), or all",
                      Word(&NextOf::what, "WHAT")),
          row<PointAt>("point",
                       "previews a step without applying it; without one, ends the preview",
                       OptionalRest<PointAt>{&PointAt::line, "STEP"}),
      },
      {
          {"next.moves", "", "number of suggestions that are listed"},
          {"next.of", "words", "what the suggestions are for: selection, block, a tensor, or all"},
          {"pointed", "words", "the step that is previewed, or nothing"},
          {"pointed.gain", "", "modelled speedup of the kernel by this step; 0: not known"},
      }};
  return words;
}

}  // namespace tw
