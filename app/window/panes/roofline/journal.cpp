// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/roofline/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_roofline() {
  using namespace journal;
  static journal::Vocabulary const words{
      {row<RooflineOf>("roofline of",
                       "puts the steps of the kernel below the roofs, or every kernel of the model",
                       Word<RooflineOf>{&RooflineOf::what, "WHAT", {"kernel", "model"}})},
      {{"roofline", "words", "kernel or model: whose points stand below the roofs"},
       {"roofline.points", "", "number of points below the roofs"}}};
  return words;
}

}  // namespace tw
