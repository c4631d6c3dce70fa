/// Whether barriers and waits order all that threads of a launch and their copies do: asked of an
/// order course (engine/order), apart from those who place them.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/target/target.h"

namespace tw {

struct LaunchFault {
  /// "race": of two threads, or of a thread and what another one copies; "used_in_flight": by the
  /// thread that started the copy, which may fill or read it still; "released_in_flight";
  /// "never_waited_for".
  std::string code;
  std::string sentence;
};

struct LaunchOrder {
  std::vector<LaunchFault> faults;  ///< the first of each launch and kind
  std::string undecided;            ///< why a launch was not looked at; empty: all were
  int64_t events = 0;               ///< of all courses
  bool proven() const { return faults.empty() && undecided.empty(); }
};

/// Looks at all launches of a kernel at any stage from "insert_barriers" on. Two threads of one
/// block stand for all: they run the same statements, and whether any two touch one element is
/// decided for all of them (`ThreadRaces`). Where that cannot be told, nothing is found and nothing
/// proven.
LaunchOrder launch_order(Target const& target, ir::KernelIr const& kernel);

}  // namespace tw
