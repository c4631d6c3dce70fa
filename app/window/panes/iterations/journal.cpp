// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/iterations/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_iterations() {
  using namespace journal;
  static journal::Vocabulary const words{
      {row<PlaneOf>("iterations of", "shows the iterations of a block along two of its axes",
                    Word{&PlaneOf::block, "BLOCK"}, Word{&PlaneOf::right, "RIGHT"},
                    Word{&PlaneOf::down, "DOWN"})
           .formerly("plane of")},
      {{"iterations", "words",
        "axes of the iteration space that is shown: BLOCK RIGHT DOWN, or nothing", "plane"},
       {"iterations.points", "", "number of iterations whose order is known", "plane.points"},
       {"iterations.arrows", "", "number of dependence vectors shown in the iteration space",
        "plane.arrows"}}};
  return words;
}

}  // namespace tw
