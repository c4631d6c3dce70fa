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
          row<ShowStage>("stage", "shows the kernel's code at a stage, a pass or a listing",
                         Word(&ShowStage::stage, "NAME")),
          row<SwitchCode>("code", "changes how code is shown",
                          Word<SwitchCode>{&SwitchCode::name,
                                           "WHAT",
                                           {"intel", "directives", "labels", "model", "shares",
                                            "baseline", "wrap"}},
                          Word<SwitchCode>{&SwitchCode::state, "STATE", {"on", "off"}}),
          row<EmptyCache>("empty cache", "clears the compile cache and unpacked models"),
          row<LimitCache>("limit cache", "sets the size limit of the compile cache",
                          Number(&LimitCache::megabytes, "MEGABYTES")),
          row<ShowHotLoop>("hot loop", "scrolls to the hot loop of the assembly"),
      },
      {
          {"view.code.lines", "", "number of lines of the code shown"},
          {"view.code.top", "", "number of the first visible line of code"},
          {"view.code.against", "words",
           "what the marks of the code are changes to: baseline, before, or nothing"},
          {"view.code.changes", "", "number of lines of code that are marked as changed"},
          {"view.code.shares", "", "number of lines with a share of the modelled time"},
          {"view.code.stage", "words", "the stage of the code shown"},
      },
      {"expression", "lowered", "llvm_ir", "assembly"}};
  return words;
}

}  // namespace tw
