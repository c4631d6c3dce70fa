// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/shared/journal/forms.h"

namespace tw {

journal::Vocabulary const& vocabulary_why() {
  static journal::Vocabulary const words{
      {},
      {
          {"view.why", "words", "the text of the Why tab"},
          {"view.why.deed", "words",
           "what the button of the Why tab does with the edge of the graph, or none"},
          {"view.why.costs", "", "number of costs that the Why tab compares"},
      }};
  return words;
}

}  // namespace tw
