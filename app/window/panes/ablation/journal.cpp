// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/shared/journal/forms.h"

namespace tw {

journal::Vocabulary const& vocabulary_ablation() {
  static journal::Vocabulary const words{
      .forms = {}, .facts = {}, .views = {}, .former_views = {{"gain", "ablation"}}};
  return words;
}

}  // namespace tw
