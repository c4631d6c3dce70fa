#include "engine/session/work.h"

#include "engine/session/parts/parts.h"
#include "engine/session/state/work_mark.h"

namespace tw::session {

bool work_has_changed(Session const& session) {
  StateCell::Pointer state = session.parts().cell.read();
  return state->model && work_mark(*state) != state->work_kept;
}

void mark_work_kept(Session& session) {
  session.parts().cell.commit([](State& now) { now.work_kept = work_mark(now); });
}

}  // namespace tw::session
