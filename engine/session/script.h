/// A script while it is being written: what is wrong with its lines, what may stand in them, and
/// the commands that make it the current branch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/session/session.h"

namespace tw::session {

struct ScriptProblem {
  int line = 0;          ///< from 1
  int column = 0;        ///< from 1; 0: with the whole line
  bool refused = false;  ///< it can be read, but may not be done
  std::string message;
  std::vector<RepairView> repairs;
};
struct ScriptReview {
  std::string text;
  std::vector<ScriptProblem> problems;  ///< by line
  int applied = 0;                      ///< lines of steps, from the first on, that are legal
  bool is_current = false;              ///< the current branch has these steps
  /// Per line, from 0: the loops and blocks that it may name; empty after the first problem.
  std::vector<std::vector<std::string>> names;
};
/// Of the current kernel; memoized, the last ones. Null: not there yet, the listener is called when
/// it is; or there is no kernel.
std::shared_ptr<ScriptReview const> review_script(Session& session, std::string const& text);

/// What has to be executed for the current branch to have these steps: what it shares with the text
/// from the beginning on stays.
std::vector<Command> commands_for(Session& session, std::string const& text);

/// What may stand where the text ends, in a line that begins with it: names of primitives, then
/// arguments, loops and blocks. Sorted; those that begin with the last word.
std::vector<std::string> completions(std::string const& line,
                                     std::vector<PrimitiveView> const& primitives,
                                     std::vector<std::string> const& names);

}  // namespace tw::session
