#include "engine/session/state/opened_script.h"

#include <fmt/format.h>

namespace tw::session {

Result<std::shared_ptr<OpenScript const>> opened_script(History const* history, int from) {
  if (!history) return bad_input("no_kernel", "no kernel is selected");
  if (from == 0) return nullptr;
  if (!history->has(from)) return bad_input("unknown_node", "there is no such step");
  HistoryNode const& node = history->node(from);
  if (!node.refusal.empty())
    return bad_input("refused_here", "this device refuses a step before: " + node.refusal);
  auto script = std::make_shared<OpenScript const>(OpenScript::all_open(node.schedule.trace()));
  if (script->open() == 0)
    return bad_input("nothing_open", fmt::format("no step up to step {} has a number that a search "
                                                 "could choose: split a loop first",
                                                 from));
  return script;
}

}  // namespace tw::session
