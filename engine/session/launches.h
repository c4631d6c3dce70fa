/// What the current kernel's launches ask of a GPU: a question to a session that few ask, which
/// therefore stands beside it.
#pragma once

#include <memory>
#include <string>

#include "engine/hardware/launches.h"
#include "engine/session/values.h"

namespace tw::session {

class Session;

struct LaunchesView {
  uint64_t program_hash = 0;
  std::string failure;  ///< a sentence instead of launches
  KernelLaunches kernel;
  /// Of the lowered kernel, to which accesses' lines refer.
  std::vector<CodeLine> lines;
};

/// An access with the launch that it is of.
struct AccessPlace {
  int launch = -1, access = -1;
  bool operator==(AccessPlace const&) const = default;
};
/// It is decided, and takes more than its bytes need.
inline bool costs_more(LaunchAccess const& access) {
  return access.undecided.empty() && access.average > access.ideal + 1e-9;
}
/// The access that costs most beyond what it needs, by requests of a warp; none: nothing does.
AccessPlace costliest_access(KernelLaunches const& kernel);
/// What the accesses come to, a sentence: "A's load takes 32 sectors where 4 would do; ...".
std::string access_sentence(KernelLaunches const& kernel);
/// What blocks, waves and occupancy come to, a sentence for one launch.
std::string waves_sentence(KernelLaunches const& kernel, LaunchReport const& launch);
/// "4 passes, 1 would do", "16 sectors", "not decided: the index is data".
std::string cost_words(LaunchAccess const& access);

/// One way to lay out a tensor of shared memory.
struct PaddingRow {
  std::string line;  ///< the step that does it; empty: as it stands
  /// Passes of its stores and loads: averages over the requests of a launch; below 0: it has none.
  double store = -1, load = -1;
  int64_t more_bytes = 0;    ///< that a block takes
  bool rows_aligned = true;  ///< each row begins at 16 bytes, as wide copies ask
  std::string refusal;       ///< why the step is not taken; empty: it is
};
struct PaddingsView {
  std::string tensor;
  /// As it stands first, then what is better in something, those that cost least first.
  std::vector<PaddingRow> rows;
};
/// What padding the rows of a shared tensor of the current state would come to. Null: not there
/// yet, the listener is called when it is; or the target launches nothing.
std::shared_ptr<PaddingsView const> paddings(Session& session, std::string const& tensor);

/// Of a state of the current kernel; memoized by program. `assembled`: with registers, which take
/// longer. Null: not there yet, the listener is called when it is; or the target launches nothing,
/// or there is no such state.
std::shared_ptr<LaunchesView const> launches(Session& session, int node, bool assembled);

}  // namespace tw::session
