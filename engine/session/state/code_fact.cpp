// Facts of the code of a session's current state.
#include <algorithm>

#include "engine/session/code_report.h"
#include "engine/session/facts/code_facts.h"
#include "engine/session/facts/launch_facts.h"
#include "engine/session/session.h"

namespace tw::session {

namespace {

std::optional<FactValue> of_launches(std::string_view name, Session& session, Snapshot const& now) {
  if (!now.has_launches || !now.history) return launch_fact(name, LaunchesView());
  auto view = launches(session, now.history->current, is_assembled_fact(name));
  return view ? launch_fact(name, *view) : std::nullopt;
}

}  // namespace

std::optional<FactValue> code_fact(std::string_view name, Session& session) {
  if (!is_code_fact(name)) return {};
  Snapshot now = session.snapshot();
  if (is_launch_fact(name)) return of_launches(name, session, now);
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
