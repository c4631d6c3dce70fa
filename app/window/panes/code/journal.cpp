// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/code/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_code() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<ShowPass>("pass", "shows the program after a pass", Word(&ShowPass::pass, "NAME")),
          row<MarkChanges>("changes", "marks what the last step changed",
                           Word<MarkChanges>{&MarkChanges::state, "STATE", {"on", "off"}}),
      },
      {
          {"view.code.lines", "", "number of lines of the code shown"},
      }};
  return words;
}

}  // namespace tw
