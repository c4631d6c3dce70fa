// The commands that make a script the current branch.
#include "engine/session/state/session_impl.h"
#include "engine/session/views/script_views.h"

namespace tw::session {

std::vector<Command> SessionImpl::script_commands(std::string const& text) const {
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return {};
  History const& history = state_.kernels.at(state_.kernel).history;
  auto steps = step_lines(text);
  auto [node, shared] = shared_beginning(history, text);
  std::vector<Command> commands;
  if (node != history.current()) commands.push_back(JumpTo{node});
  std::string rest;
  for (size_t i = shared; i < steps.size(); ++i) rest += steps[i].second + "\n";
  if (!rest.empty()) commands.push_back(ApplyScript{rest});
  return commands;
}

std::vector<Command> commands_for(Session& session, std::string const& text) {
  return static_cast<SessionImpl&>(session).script_commands(text);
}

}  // namespace tw::session
