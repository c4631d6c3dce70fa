// What one thing of the model is.
#include "engine/session/inspector.h"
#include "engine/session/model/inspection.h"
#include "engine/session/state/query_keys.h"

namespace tw::session {
namespace query_inspected {

struct OneThing : OfModel<Inspected, InspectorView> {
  static View make(Key const& key, StopToken) {
    auto view = inspector_view(*key.model, key.asked);
    return view ? *view : InspectorView{.of = key.asked, .failure = to_sentence(view.error())};
  }
};

QueryRow const& row() {
  static QueryRow const row = query_row<OneThing>(
      {.name = "inspected", .title = "inspecting", .lane = QueryLane::kThings, .kept = 16});
  return row;
}

}  // namespace query_inspected

std::shared_ptr<InspectorView const> inspect(Session& session, Inspected const& what) {
  return answer_of<query_inspected::OneThing>(session, query_inspected::row(), what);
}

}  // namespace tw::session
