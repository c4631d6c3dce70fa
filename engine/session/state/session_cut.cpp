// The model between devices: where it is cut, and who runs its parts.
#include "engine/session/state/session_impl.h"
#include "engine/session/state/state_cut.h"

namespace tw::session {

/// `change` answers with the new cut.
Status SessionImpl::cut(std::function<Result<Cut>(LoadedModel const&, Cut const&)> const& change) {
  {
    std::lock_guard lock(mutex_);
    if (!state_.model) return bad_input("no_model", "no model is open");
    if (state_.model->is_expression)
      return bad_input("nothing_to_cut", "a tensor expression is one kernel: it cannot be cut");
    TRY_ASSIGN(Cut next, change(*state_.model, cut_of(state_)));
    TRY(change_cut(state_, std::move(next.points)));
  }
  jobs_.cancel("model");
  return {};
}

Status SessionImpl::run(CutAt const& c) {
  TRY(check_device(options_, c.device));
  return cut([&](LoadedModel const& model, Cut const& now) {
    return with_point(model.after, model.plan, now, {c.node, c.device});
  });
}

Status SessionImpl::run(MoveCut const& c) {
  return cut([&](LoadedModel const& model, Cut const& now) {
    return with_point_moved(model.after, model.plan, now, c.from, c.to);
  });
}

Status SessionImpl::run(RemoveCut const&) {
  return cut([](LoadedModel const&, Cut const& now) -> Result<Cut> {
    return Cut{{now.places.front()}, {}};
  });
}

Result<std::vector<ChosenDevice>> SessionImpl::open_places(Cut const& cut, StopToken stop) const {
  std::vector<ChosenDevice> opened;
  for (size_t i = 1; i < cut.places.size(); ++i) {
    TRY_ASSIGN(ChosenDevice device, open_device(options_, cut.places[i], stop));
    opened.push_back(std::move(device));
  }
  return opened;
}

}  // namespace tw::session
