// What could be done next with the current kernel: asked for by who shows it.
#include "engine/session/state/session_impl.h"
#include "engine/session/views/move_views.h"

namespace tw::session {
namespace {

constexpr char kJob[] = "moves";

MovesView found_moves(Schedule const& schedule, Backend const& backend, Roofs const& roofs,
                      std::string const& of, StopToken stop) {
  auto view = moves_view(schedule, backend, roofs,
                         {.of = of, .effort = Effort::kInteractive, .stop = stop});
  if (view) return *std::move(view);
  return {.bound = {}, .sentence = view.error().message, .moves = {}, .refused = {}};
}

}  // namespace

std::shared_ptr<MovesView const> SessionImpl::next_moves(std::string const& of) {
  std::shared_ptr<Backend const> backend = this->backend();
  std::lock_guard lock(mutex_);
  std::shared_ptr<MachineView const> machine = state_.machine;
  if (!state_.has_kernel() || !machine || !machine->rates) return nullptr;
  Schedule schedule = state_.now().history.schedule();
  AskedMoves asked{ir::hash(schedule.program()), of, backend, machine->rates, nullptr};
  if (moves_.are_of(asked)) return moves_.view;
  simulate_jobs_.cancel(kJob);
  moves_ = asked;
  simulate_jobs_.start(
      kJob, "looking for moves",
      [this, asked, schedule = std::move(schedule)](StopToken stop, Progress const&) {
        auto view = std::make_shared<MovesView const>(
            found_moves(schedule, *asked.backend, *asked.rates, asked.of, stop));
        {
          std::lock_guard guard(mutex_);
          if (!moves_.are_of(asked)) return;
          if (stop.stop_requested())
            moves_ = {};
          else
            moves_.view = std::move(view);
        }
        notify();
      });
  return nullptr;
}

}  // namespace tw::session
