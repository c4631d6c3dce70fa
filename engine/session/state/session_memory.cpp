// What the current program does with memory, and in which order it runs: made when somebody looks.
#include "engine/session/state/session_impl.h"
#include "engine/session/views/film_views.h"
#include "engine/session/views/lane_views.h"
#include "engine/session/views/plane_views.h"

namespace tw::session {
namespace {

constexpr size_t kKept = 4;  // one goes back and forth between states

}  // namespace

template <typename View, typename Of, typename Make>
std::shared_ptr<View const> SessionImpl::made_of_program(Made<View, Of>& made, Of const& of,
                                                         char const* job, Make make) {
  std::shared_ptr<Backend const> backend = this->backend();
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return nullptr;
  Schedule schedule = state_.now().history.schedule();
  MadeOf<View, Of> asked{ir::hash(schedule.program()), backend, of};
  if (auto const* known = known_or_noted(made, asked, kKept)) return known->view;
  memory_jobs_.start(
      job, job,
      [this, &made, asked, make, schedule = std::move(schedule)](StopToken stop, Progress const&) {
        auto view =
            std::make_shared<View const>(make(schedule.program(), asked.backend->target(), stop));
        if (stop.stop_requested()) return;
        {
          std::lock_guard guard(mutex_);
          keep(made, asked, view);
        }
        notify();
      });
  return nullptr;
}

std::shared_ptr<LanesView const> SessionImpl::lanes() {
  return made_of_program(looked_.lanes, 0, "memories",
                         [](ir::Program const& program, Target const& target, StopToken) {
                           return lanes_view(program, target);
                         });
}

std::shared_ptr<PlaneView const> SessionImpl::plane(PlaneAsked const& asked) {
  return made_of_program(looked_.planes, asked, "plane",
                         [asked](ir::Program const& program, Target const&, StopToken) {
                           return plane_view(program, asked);
                         });
}

std::shared_ptr<AccessFilm const> SessionImpl::film(double from) {
  return made_of_program(looked_.films, from, "accesses",
                         [from](ir::Program const& program, Target const& target, StopToken stop) {
                           return access_film(program, target, from, stop);
                         });
}

// A session is always one of these: `Session::create` makes no other.
std::shared_ptr<LanesView const> lanes(Session& session) {
  return static_cast<SessionImpl&>(session).lanes();
}
std::shared_ptr<PlaneView const> plane(Session& session, PlaneAsked const& asked) {
  return static_cast<SessionImpl&>(session).plane(asked);
}
std::shared_ptr<AccessFilm const> film(Session& session, double from) {
  return static_cast<SessionImpl&>(session).film(from);
}

}  // namespace tw::session
