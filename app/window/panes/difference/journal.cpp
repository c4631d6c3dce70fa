// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/difference/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_difference() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<DifferenceTo>("difference to",
                            "compares the model's graph with that of another one, a file or "
                            "sample:NAME",
                            Rest<DifferenceTo>{&DifferenceTo::model, "MODEL"}),
          row<DifferenceOfPasses>("difference of passes",
                                  "compares the model's graph before and after its passes"),
          row<ChooseDifference>("difference node", "chooses a node that differs, in both graphs",
                                Rest<ChooseDifference>{&ChooseDifference::node, "NAME"}),
          row<CloseDifference>("close difference", "closes the difference of graphs"),
      },
      {
          {"difference", "words",
           "number of nodes that differ between two graphs, or why it is not known"},
          {"difference.nodes", "", "number of nodes that differ"},
          {"difference.node", "words", "the node that is chosen of them"},
      }};
  return words;
}

}  // namespace tw
