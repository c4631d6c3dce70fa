// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the view of tuning; the session's own stand with its commands.
#pragma once

namespace tw::journal {

struct SelectTrial {
  int trial = 0;
  int run = 0;  ///< 0: the last one
};

}  // namespace tw::journal
