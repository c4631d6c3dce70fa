// The commands that make a script the current branch.
#include "engine/session/script.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/views/script_views.h"

namespace tw::session {
namespace query_script_commands {

struct Commands {
  using Asked = std::string;  ///< the script
  using View = std::vector<Command>;
  struct Key {
    BranchKey branch;
    std::string text;
    bool operator==(Key const&) const = default;
  };
  static std::optional<Key> key(Seen const& seen, Asked const& text) {
    auto branch = current_branch(seen);
    return branch ? std::optional(Key{*std::move(branch), text}) : std::nullopt;
  }
  static View make(Key const& key, StopToken) {
    History const& history = *key.branch.history;
    auto steps = step_lines(key.text);
    auto [node, shared] = shared_beginning(history, key.text);
    std::vector<Command> commands;
    if (node != history.current()) commands.push_back(JumpTo{node});
    std::string rest;
    for (size_t i = shared; i < steps.size(); ++i) rest += steps[i].second + "\n";
    if (!rest.empty()) commands.push_back(ApplyScript{rest});
    return commands;
  }
};

QueryRow const& row() {
  static QueryRow const row = query_row<Commands>({.name = "commands of a script",
                                                   .title = "comparing scripts",
                                                   .lane = QueryLane::kCaller,
                                                   .kept = 1});
  return row;
}

}  // namespace query_script_commands

std::vector<Command> commands_for(Session& session, std::string const& text) {
  using namespace query_script_commands;
  auto known = answer_of<Commands>(session, row(), text);
  return known ? *known : std::vector<Command>();
}

}  // namespace tw::session
