// What each pass of lowering changed of the current state's text.
#include "engine/session/code_report.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/views/assembly_report.h"

namespace tw::session {
namespace query_pass_changes {

struct Passes : OfProgram<AskedNothing, std::vector<PassChange>> {
  static View make(Key const& key, StopToken) {
    return pass_changes_of(key.program(), *key.backend);
  }
};

QueryRow const& row() {
  static QueryRow const row = query_row<Passes>(
      {.name = "passes", .title = "comparing passes", .lane = QueryLane::kReports});
  return row;
}

}  // namespace query_pass_changes

std::shared_ptr<std::vector<PassChange> const> pass_changes(Session& session) {
  return answer_of<query_pass_changes::Passes>(session, query_pass_changes::row(), {});
}

}  // namespace tw::session
