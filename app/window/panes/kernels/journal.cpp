// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/kernels/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_kernels() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<SortKernels>("sort kernels", "sorts the kernels by a column",
                           Word(&SortKernels::by, "COLUMN"),
                           Flag<SortKernels>{&SortKernels::reversed, "reversed"}),
          row<FilterKernels>("filter kernels", "shows the kernels that have all these words",
                             OptionalRest<FilterKernels>{&FilterKernels::words, "WORDS"})
              .replacing(),
          row<KernelColumns>("kernel columns", "sets the columns of the kernels",
                             OptionalRest<KernelColumns>{&KernelColumns::names, "COLUMNS"}),
      },
      {
          {"kernels.shown", "", "number of kernels that match the filter"},
          {"kernels.first", "words", "name of the topmost visible kernel, or none"},
          {"kernels.sorted", "words", "what the kernels are sorted by"},
          {"kernels.columns", "words", "columns of the kernels"},
      }};
  return words;
}

}  // namespace tw
