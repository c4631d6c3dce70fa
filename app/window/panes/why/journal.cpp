// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/shared/journal/forms.h"

namespace tw {

journal::Vocabulary const& vocabulary_why() {
  static journal::Vocabulary const words{{},
                                         {
                                             {"view.why", "words", "the text of the Why tab"},
                                         }};
  return words;
}

}  // namespace tw
