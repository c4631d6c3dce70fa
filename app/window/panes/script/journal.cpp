// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/script/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_script() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<WriteLine>(
              "write", "writes a line of the script, from 1 on, in place of what is there",
              Number{&WriteLine::line, "LINE"}, OptionalRest<WriteLine>{&WriteLine::text, "TEXT"}),
          row<WriteOut>("write out", "writes a macro's primitives in place of its line",
                        Number{&WriteOut::line, "LINE"}),
          row<ApplyWritten>("apply written", "makes the written script the current branch"),
          row<ForgetWritten>("forget written", "writes the script of the current branch again"),
      },
      {
          {"script.lines", "", "number of steps in the script as it is written"},
          {"script.problems", "", "number of its lines with mistakes"},
          {"script.line", "words", "what the line at the cursor does; nothing: there is no step"},
          {"script.written", "words", "yes where it is not what the current branch has, else no"},
      }};
  return words;
}

}  // namespace tw
