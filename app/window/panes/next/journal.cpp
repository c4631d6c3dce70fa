// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/next/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_next() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<NextOf>("next of",
                      "lists the next moves of the selected loop (selection), its block (block), a "
                      "tensor (its name), or all",
                      Word(&NextOf::what, "WHAT")),
          row<PointAt>("point",
                       "shows where a step would lead, without taking it; without one, ends that",
                       OptionalRest<PointAt>{&PointAt::line, "STEP"}),
      },
      {
          {"next.moves", "", "number of next moves that are listed"},
          {"next.of", "words", "whose moves are listed: selection, block, a tensor, or all"},
          {"pointed", "words", "the step that is pointed at, or nothing"},
          {"pointed.gain", "",
           "how many times as fast the kernel would be after it, modelled; 0: not known"},
      }};
  return words;
}

}  // namespace tw
