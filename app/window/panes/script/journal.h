// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the script that is written.
#pragma once

#include <string>

namespace tw::journal {

/// Another line in place of that one, or behind the last one.
struct WriteLine {
  int line = 0;  ///< from 1
  std::string text;
};
/// The line, a macro, becomes its primitives.
struct WriteOut {
  int line = 0;  ///< from 1
};
/// The text becomes the current branch.
struct ApplyWritten {};
/// The text is that of the current branch again.
struct ForgetWritten {};

}  // namespace tw::journal
