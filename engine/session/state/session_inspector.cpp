// Whether the model has a thing that somebody wants to look at.
#include "engine/session/model/inspection.h"
#include "engine/session/state/session_impl.h"

namespace tw::session {

Status SessionImpl::check_inspected(Inspected const& what) const {
  Model model;
  {
    std::lock_guard lock(mutex_);
    model = state_.model;
  }
  if (!model) return bad_input("no_model", "no model is open");
  return session::check_inspected(*model, what);
}

Status can_inspect(Session& session, Inspected const& what) {
  return static_cast<SessionImpl&>(session).check_inspected(what);
}

}  // namespace tw::session
