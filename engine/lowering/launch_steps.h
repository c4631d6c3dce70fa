/// What a thread of a launch does, step by step: what it touches, its copies, and where it meets
/// the others or waits.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/arith/simplify.h"
#include "engine/ir/program.h"
#include "engine/lowering/thread_races.h"

namespace tw {

/// A launch: the loops around its threads (of blocks, and of what calls it), its threads, and what
/// they do.
struct Launch {
  std::vector<ir::For const*> around, threads;
  ir::Stmt body;
};
struct Launches {
  std::vector<Launch> all;
  std::vector<ir::Stmt> sizes;  ///< loops that stand for the function's sizes
  std::string undecided;        ///< why copies are in none of them; empty: all are
};
/// Those that are below a function's body. Its sizes that begin at 0 are like loops around them.
Launches launches_below(Target const& target, ir::Function const& function);

/// What a statement touches in some iteration of the loops that hold barriers and waits, whose
/// counters are numbers in it.
struct StepEffect {
  /// Of tensors that threads share; and of tensors that copies touch, in any memory, where the
  /// threads' loops are the last of those around.
  std::vector<ThreadAccess> shared, copied;
};

/// From kOpen on of a barrier with phases (ir::Completion).
enum class LaunchStepKind : uint8_t {
  kTouch,
  kStart,
  kCommit,
  kWait,
  kBarrier,
  kRelease,
  kOpen,
  kArrive,
  kDeliver,
  kAwait
};

struct LaunchStep {
  LaunchStepKind kind = LaunchStepKind::kTouch;
  int32_t effect = -1;      ///< of kTouch and kStart
  int64_t groups = 0;       ///< of kWait: as many may be under way; of kOpen: arrivals of a phase;
                            ///< of kAwait: the phase's number
  std::string tensor = {};  ///< of kRelease: it goes away; of phases: their barrier, "full[1]"
  std::string queue = {};   ///< of kStart, kCommit and kWait; empty: that of copies
  int32_t role = -1;        ///< who does it; -1: all threads
};

/// Of conditions that a counter of a loop with barriers tells, and that never come again: they are
/// looked at, or may hold. The latter makes loops short.
enum class Guards : uint8_t { kKept, kDropped };
/// Which side is taken of conditions that hold barriers or waits and are alike in all threads.
enum class TakenSide : uint8_t { kThen, kElse };

/// Loops in which what is touched comes again are cut: what they bring up to its steady state, two
/// turns of the ring, and the rest so that the last slot is the same.
struct LaunchSteps {
  std::vector<LaunchStep> steps;
  std::vector<StepEffect> effects;
  std::vector<int64_t> roles = {};  ///< how many threads have each; empty: there are no roles
  std::string undecided;            ///< why not all of it is here; empty: all is
  bool has_sides = false;           ///< the other side does something else
};
LaunchSteps steps_of(Target const& target, Launch const& launch, Guards guards, TakenSide side);

/// Of what runs where an access stands: its threads, loops and axes.
arith::Ranges ranges_of(Launch const& launch, ThreadAccess const& access);

/// The target as if every memory was shared: what one thread does to its own is asked, too.
Target with_shared_memories(Target const& target);

}  // namespace tw
