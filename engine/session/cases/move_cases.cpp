#include "engine/session/cases/move_cases.h"

#include "engine/compile/kernel_code.h"
#include "engine/session/model/loaded_model.h"

namespace tw::session {
namespace {

/// Less is within what the model can say of a kernel.
constexpr double kWorthIt = 1.01;

struct Asking {
  Schedule schedule;
  Roofs const* roofs;
};
Result<Asking> asking(LoadedModel const& model, int kernel, NamedScript const& script,
                      MachineView const& machine, Backend const& backend) {
  if (!machine.rates)
    return bad_input("unknown_roofs", "the roofs of the machine are not measured");
  TRY_ASSIGN(ir::Program plain, plain_program(model, kernel));
  TRY_ASSIGN(Schedule schedule, schedule_of(plain, &script.text, backend));
  return Asking{std::move(schedule), &*machine.rates};
}

}  // namespace

Result<MovesView> legal_moves(LoadedModel const& model, int kernel, NamedScript const& script,
                              MachineView const& machine, Backend const& backend,
                              moves::MovesWanted const& wanted) {
  TRY_ASSIGN(Asking at, asking(model, kernel, script, machine, backend));
  return moves_view(at.schedule, backend, *at.roofs, wanted);
}

Result<FollowedMoves> follow_moves(LoadedModel const& model, int kernel, NamedScript const& script,
                                   MachineView const& machine, Backend const& backend,
                                   int most_moves, StopToken stop) {
  TRY_ASSIGN(Asking at, asking(model, kernel, script, machine, backend));
  moves::MovesWanted wanted{.most = 1, .stop = stop};
  FollowedMoves followed;
  for (int i = 0; i < most_moves && !stop.stop_requested(); ++i) {
    TRY_ASSIGN(moves::NextMoves found,
               moves::next_moves(at.schedule, backend.target().hardware,
                                 model_of(at.schedule.program(), backend, *at.roofs), wanted));
    if (i == 0) followed.before_ms = followed.after_ms = found.now.seconds * 1e3;
    if (found.moves.empty() || found.moves.front().gain < kWorthIt) break;
    followed.taken.push_back(move_view(found.moves.front(), at.schedule.program()));
    for (Step const& step : found.moves.front().steps)
      at.schedule = std::move(at.schedule).apply(step).value();  // it was proved
    followed.after_ms = followed.taken.back().ms;
  }
  followed.script = at.schedule.script();
  return followed;
}

}  // namespace tw::session
