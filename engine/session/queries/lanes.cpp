// What lies in which memory while the current kernel runs.
#include "engine/session/memory.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/views/lane_views.h"

namespace tw::session {
namespace query_lanes {

struct Lanes : OfProgram<AskedNothing, LanesView> {
  static View make(Key const& key, StopToken) { return lanes_view(key.program(), key.target()); }
};

QueryRow const& row() {
  static QueryRow const row =
      query_row<Lanes>({.name = "lanes", .title = "memories", .lane = QueryLane::kMemory});
  return row;
}

}  // namespace query_lanes

std::shared_ptr<LanesView const> lanes(Session& session) {
  return answer_of<query_lanes::Lanes>(session, query_lanes::row(), {});
}

}  // namespace tw::session
