// Whether the model has a thing that somebody wants to look at.
#include "engine/session/inspector.h"
#include "engine/session/model/inspection.h"
#include "engine/session/state/query_keys.h"

namespace tw::session {
namespace query_inspectable {

struct Thing : OfModel<Inspected, Status> {
  static View make(Key const& key, StopToken) { return check_inspected(*key.model, key.asked); }
};

QueryRow const& row() {
  static QueryRow const row = query_row<Thing>({.name = "inspectable",
                                                .title = "looking for a thing",
                                                .lane = QueryLane::kCaller,
                                                .kept = 1});
  return row;
}

}  // namespace query_inspectable

Status can_inspect(Session& session, Inspected const& what) {
  using namespace query_inspectable;
  auto known = answer_of<Thing>(session, row(), what);
  if (!known) return bad_input("no_model", "no model is open");
  return *known;
}

}  // namespace tw::session
