// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with next moves.
#pragma once

#include <string>

namespace tw::journal {

/// Whose moves are listed.
struct NextOf {
  /// "all", "selection" (the selected loop), "block" (that of the selected loop), or a tensor.
  std::string what;
};
/// Shows where a step would lead; empty: nowhere any more.
struct PointAt {
  std::string line;
};

}  // namespace tw::journal
