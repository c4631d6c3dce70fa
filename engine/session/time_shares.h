/// Which parts of a kernel take its time: of each loop and each block the share that the target's
/// model of time gives it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/session/model/model.h"
#include "engine/session/values.h"
#include "engine/support/base/error.h"

namespace tw {
class Backend;
struct Roofs;
namespace ir {
struct Program;
}
}  // namespace tw

namespace tw::session {

class Session;

/// From 0 to 1; blocks are modelled each alone. Nothing is known where the target has no model.
struct TimeShares {
  uint64_t program_hash = 0;
  std::vector<double> blocks;      ///< in program order, as `CodeLine::stage` counts
  std::map<int, double> loops;     ///< by id: of all blocks inside
  std::map<int, double> directly;  ///< by id: of the blocks that have no loop between
  bool known() const { return !loops.empty() || !blocks.empty(); }
};
TimeShares time_shares_of(ir::Program const& program, Backend const& backend, Roofs const& roofs);
/// Of each line of the program or of a pass; negative: it has none. A block's first line and a
/// loop's have theirs; where blocks are gone the lines in a loop have the same part of its own.
std::vector<double> shares_of_lines(CodeText const& text, TimeShares const& shares);

/// Of a kernel under a script. Errors: unknown_roofs, those of scripts.
Result<TimeShares> time_shares(LoadedModel const& model, int kernel, std::string const& script,
                               std::string const& script_file, MachineView const& machine,
                               Backend const& backend);

/// Of the current state; null: not there yet, the session's listener is called when it is; or there
/// is no kernel, or the roofs are not known.
std::shared_ptr<TimeShares const> time_shares(Session& session);

}  // namespace tw::session
