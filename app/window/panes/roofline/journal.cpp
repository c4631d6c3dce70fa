// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/roofline/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_roofline() {
  using namespace journal;
  static journal::Vocabulary const words{
      {row<RooflineOf>(
           "roofline of",
           "shows the steps of the kernel on the roofline, or every kernel of the model",
           Word<RooflineOf>{&RooflineOf::what, "WHAT", {"kernel", "model"}}),
       row<RooflineIf>("roofline if",
                       "models the kernel on a machine with other roofs or caches: L2=2MB, "
                       "DRAM=40GB/s, FMA f32=800GFLOP/s; without any, the machine as it is",
                       OptionalRest<RooflineIf>{&RooflineIf::changes, "CHANGES"})},
      {{"roofline", "words", "kernel or model: whose points the roofline shows"},
       {"roofline.points", "", "number of points on the roofline"},
       {"roofline.if", "words", "what differs on the hypothetical machine of the roofline"},
       {"roofline.if_time", "ms",
        "modelled time of the current step on that machine; 0: there is none"}}};
  return words;
}

}  // namespace tw
