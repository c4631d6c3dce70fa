// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the timeline of a simulated or modelled kernel.
#pragma once

#include <string>

namespace tw::journal {

/// What stands above the current state's run.
struct TimelineAgainst {
  std::string state;  ///< "previous", "none", or a step of the history
};
/// Of the current state's run, or of the one above it.
struct ChooseInstruction {
  int instruction = 0;
  std::string run;  ///< "above", or empty
};
struct StepTimeline {
  int steps = 0;  ///< below 0: back
};
struct PutCycle {
  double cycle = 0;
};
struct SeeCycles {
  double from = 0, to = 0;
};
/// Once more: takes the breakpoint away.
struct BreakOnQueue {
  std::string on;  ///< "push" or "pop"
  std::string queue;
};
struct RunToBreak {};
struct ShowMemoryOf {
  std::string memory;
};
struct ShowFinding {
  int finding = 0;  ///< from 0
};
/// A recorded one, in place of the kernel's.
struct OpenTimeline {
  std::string file;
};
struct CloseTimeline {};

}  // namespace tw::journal
