// What takes the time of the current state: modelled when the code is looked at.
#include "engine/session/state/session_impl.h"
#include "engine/session/time_shares.h"

namespace tw::session {
namespace {

constexpr size_t kKept = 16;  // one goes back and forth between states

}  // namespace

std::shared_ptr<TimeShares const> SessionImpl::time_shares() {
  std::shared_ptr<Backend const> backend = this->backend();
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel() || !state_.machine || !state_.machine->rates) return nullptr;
  ir::Program program = state_.now().history.schedule().program();
  MadeOf<TimeShares, std::shared_ptr<Roofs const>> asked{ir::hash(program), backend,
                                                         state_.machine->rates};
  if (auto const* known = known_or_noted(looked_.shares, asked, kKept)) return known->view;
  memory_jobs_.start("shares", "sharing out the modelled time",
                     [this, asked, program = std::move(program)](StopToken, Progress const&) {
                       auto view = std::make_shared<TimeShares const>(
                           time_shares_of(program, *asked.backend, *asked.of));
                       {
                         std::lock_guard guard(mutex_);
                         keep(looked_.shares, asked, view);
                       }
                       notify();
                     });
  return nullptr;
}

std::shared_ptr<TimeShares const> time_shares(Session& session) {
  return static_cast<SessionImpl&>(session).time_shares();
}

}  // namespace tw::session
