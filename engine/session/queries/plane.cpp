// In which order the iterations of the current kernel come.
#include "engine/session/memory.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/views/plane_views.h"

namespace tw::session {
namespace query_plane {

struct Plane : OfProgram<PlaneAsked, PlaneView> {
  static View make(Key const& key, StopToken) { return plane_view(key.program(), key.asked); }
};

QueryRow const& row() {
  static QueryRow const row =
      query_row<Plane>({.name = "plane", .title = "iterations", .lane = QueryLane::kMemory});
  return row;
}

}  // namespace query_plane

std::shared_ptr<PlaneView const> plane(Session& session, PlaneAsked const& asked) {
  return answer_of<query_plane::Plane>(session, query_plane::row(), asked);
}

}  // namespace tw::session
