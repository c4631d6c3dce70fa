// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the history's map.
#pragma once

#include <string>

namespace tw::journal {

/// The same words again: the next step that has them.
struct FindStep {
  std::string words;
};
struct FoldHistory {
  std::string state;  ///< "on" or "off"
};
/// The ring of the history's map.
struct MarkStep {
  int step = 0;
};
/// The steps of a fold one by one; the fold by its first step.
struct UnfoldSteps {
  int first = 0;
};
/// The step that is remembered for a comparison, or forgotten again.
struct PickStep {
  int step = 0;
};

/// Which states the map shows.
struct FilterHistory {
  std::string which;  ///< "all", "tagged", "named", "best", "found"
};

}  // namespace tw::journal
