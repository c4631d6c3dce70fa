// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the difference of two graphs.
#pragma once

#include <string>

namespace tw::journal {

/// The graph of the open model against that of another one.
struct DifferenceTo {
  std::string model;  ///< a file, or "sample:NAME"
};
/// Before and after the passes over the open model's graph.
struct DifferenceOfPasses {};
struct ChooseDifference {
  std::string node;
};
struct CloseDifference {};

}  // namespace tw::journal
