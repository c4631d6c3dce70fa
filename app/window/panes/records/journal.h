// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the view of stored trials; opening one stands with the session's.
#pragma once

#include <string>

namespace tw::journal {

/// What is not named is any.
struct FilterRecords {
  std::string kernel, device, outcome, job, text;
  std::string order;  ///< empty: the newest first
  bool best = false;
};
struct SelectRecords {
  int trial = 0;
  int other = 0;  ///< to compare it with; 0: none
};

}  // namespace tw::journal
