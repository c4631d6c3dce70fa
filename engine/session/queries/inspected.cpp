// What one thing of the model is.
#include "engine/session/inspector.h"
#include "engine/session/model/inspection.h"
#include "engine/session/state/query.h"

namespace tw::session::query_inspected {
namespace {

struct OneThing {
  using Asked = Inspected;
  struct Key {
    Model model;
    Inspected what;
    bool operator==(Key const&) const = default;
  };
  using View = InspectorView;
  static std::optional<Key> key(Seen const& seen, Asked const& what) {
    return seen.state.model ? std::optional(Key{seen.state.model, what}) : std::nullopt;
  }
  static View make(Key const& key, StopToken) {
    auto view = inspector_view(*key.model, key.what);
    return view ? *view : InspectorView{.of = key.what, .failure = to_sentence(view.error())};
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<OneThing>(
      {.name = "inspected", .title = "inspecting", .lane = QueryLane::kThings, .kept = 16});
  return row;
}

}  // namespace tw::session::query_inspected

namespace tw::session {

std::shared_ptr<InspectorView const> inspect(Session& session, Inspected const& what) {
  using namespace query_inspected;
  return answer_of<OneThing>(session, row(), what);
}

}  // namespace tw::session
