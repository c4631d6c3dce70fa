/// What a simulated machine does with a state of a kernel, and what follows from it in numbers.
#pragma once

#include "engine/hardware/timeline.h"
#include "engine/session/timeline_index.h"
#include "engine/session/values.h"
#include "engine/support/base/error.h"

namespace tw::session {

/// Cycles that a lane spends on a kind of work, or waiting.
struct TimelineTotal {
  int32_t lane = 0;
  int32_t kind = -1;  ///< -1: nothing is recorded
  int64_t cycles = 0;
  int64_t spans = 0;
};
/// Of each lane its kinds, the longest first, and what is left of the run; the lane that works most
/// comes first.
std::vector<TimelineTotal> totals_of(Timeline const& timeline);
/// The work that takes the most cycles of a lane; nothing where nothing is done.
std::optional<TimelineTotal> busiest_of(Timeline const& timeline);

struct SimulatedState {
  std::shared_ptr<Timeline const> timeline;    ///< null: `failure` says why
  std::shared_ptr<TimelineIndex const> index;  ///< of it
  std::vector<TimelineTotal> totals;
  std::string failure;  ///< a sentence
  /// Of the kernel as it is lowered, to which the instructions' lines refer; empty: it is not
  /// known.
  std::vector<CodeLine> lines;
};
/// Everything but the lines.
SimulatedState indexed(Timeline timeline);
/// A recorded one. Errors: those of reading the file and of `parse_timeline`.
Result<SimulatedState> read_timeline(std::string const& file);

/// How full a counter was at most.
int64_t peak_of(Timeline::Counter const& counter);

}  // namespace tw::session
