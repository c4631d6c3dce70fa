// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/attributes/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_attributes() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<Inspect>(
              "inspect",
              "shows attributes, tensors, values and cost of an operator after fusion or "
              "as imported (by name or #NUMBER), a kernel or a tensor; behind: the tab in front "
              "stays there",
              Flag<Inspect>{&Inspect::behind, "behind"},
              Word<Inspect>{&Inspect::kind, "KIND", {"operator", "imported", "kernel", "tensor"}},
              Rest<Inspect>{&Inspect::name, "NAME"}),
          row<InspectBefore>("inspect before", "goes back to what was inspected before"),
      },
      {
          {"inspected", "words",
           "name of the operator, kernel or tensor that is inspected, or none"},
          {"inspected.kind", "words", "operator, imported, kernel or tensor; or none"},
          {"inspected.what", "words", "what it is: \"conv2d 3x3 /2\", \"Weight\""},
          {"inspected.kernel", "words", "the kernel that it is or is part of, or none"},
          {"inspected.attributes", "", "number of its attributes, including the operator's own"},
          {"inspected.inputs", "", "number of its inputs"},
          {"inspected.weights", "", "number of its inputs whose values are known"},
          {"inspected.operations", "", "operations in one run of it"},
          {"inspected.bytes", "", "distinct bytes that one run of it reads and writes"},
          {"inspected.values", "", "number of values of the weight that is shown; 0: none is"},
          {"inspected.zeros", "", "how many of those are zero"},
          {"inspected.bins", "", "number of bars of the histogram that is shown"},
          {"inspected.compute", "words", "the tensor expression of what is inspected, or none"},
      }};
  return words;
}

}  // namespace tw
