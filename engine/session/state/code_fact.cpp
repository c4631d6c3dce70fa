// Facts of the code of a session's current state.
#include <algorithm>

#include "engine/session/code_report.h"
#include "engine/session/facts/code_facts.h"
#include "engine/session/session.h"

namespace tw::session {

std::optional<FactValue> code_fact(std::string_view name, Session& session) {
  if (!is_code_fact(name)) return {};
  Snapshot now = session.snapshot();
  bool listed = now.code_stages && std::ranges::find(*now.code_stages, "assembly",
                                                     &CodeStage::key) != now.code_stages->end();
  if (!listed) return {};
  if (is_loop_fact(name)) {
    auto report = assembly_report(session);
    return report ? code_fact(name, *report) : std::nullopt;
  }
  auto text = session.code("assembly", false);
  return text ? code_fact(name, *text) : std::nullopt;
}

}  // namespace tw::session
