// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with comparisons.
#pragma once

#include <string>

namespace tw::journal {

/// Two states of the current kernel, by their numbers in its history.
struct CompareStates {
  int before = 0, after = 0;
};
/// One state of the current kernel on two devices, by the names that its history has for them.
struct CompareDevices {
  int state = 0;
  std::string before, after;
};
struct StopComparing {};
struct ShowComparison {
  std::string what;   ///< "stage" or "form"
  std::string value;  ///< a stage of lowering; "pair" or "marks"
};

}  // namespace tw::journal
