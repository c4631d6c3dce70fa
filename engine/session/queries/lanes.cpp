// What lies in which memory while the current kernel runs.
#include "engine/session/memory.h"
#include "engine/session/state/query.h"
#include "engine/session/views/lane_views.h"

namespace tw::session::query_lanes {
namespace {

struct Lanes {
  using Asked = AskedNothing;
  using Key = ProgramKey;
  using View = LanesView;
  static std::optional<Key> key(Seen const& seen, Asked const&) { return current_program(seen); }
  static View make(Key const& key, StopToken) {
    return lanes_view(key.program(), key.backend->target());
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row =
      query_row<Lanes>({.name = "lanes", .title = "memories", .lane = QueryLane::kMemory});
  return row;
}

}  // namespace tw::session::query_lanes

namespace tw::session {

std::shared_ptr<LanesView const> lanes(Session& session) {
  using namespace query_lanes;
  return answer_of<Lanes>(session, row(), {});
}

}  // namespace tw::session
