// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the table of kernels.
#pragma once

#include <string>

namespace tw::journal {

struct SortKernels {
  std::string by;  ///< a key of session::kernel_keys
  bool reversed = false;
};
struct FilterKernels {
  std::string words;  ///< empty: all are shown
};
struct KernelColumns {
  std::string names;  ///< "work time share"; empty: the names alone
};

}  // namespace tw::journal
