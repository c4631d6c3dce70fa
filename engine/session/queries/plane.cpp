// In which order the iterations of the current kernel come.
#include "engine/session/memory.h"
#include "engine/session/state/query.h"
#include "engine/session/views/plane_views.h"

namespace tw::session::query_plane {
namespace {

struct Plane {
  using Asked = PlaneAsked;
  struct Key {
    ProgramKey of;
    PlaneAsked asked;
    bool operator==(Key const&) const = default;
  };
  using View = PlaneView;
  static std::optional<Key> key(Seen const& seen, Asked const& asked) {
    auto of = current_program(seen);
    return of ? std::optional(Key{*of, asked}) : std::nullopt;
  }
  static View make(Key const& key, StopToken) { return plane_view(key.of.program(), key.asked); }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row =
      query_row<Plane>({.name = "plane", .title = "iterations", .lane = QueryLane::kMemory});
  return row;
}

}  // namespace tw::session::query_plane

namespace tw::session {

std::shared_ptr<PlaneView const> plane(Session& session, PlaneAsked const& asked) {
  using namespace query_plane;
  return answer_of<Plane>(session, row(), asked);
}

}  // namespace tw::session
