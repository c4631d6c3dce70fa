// Takes the current branch over to another kernel, which becomes the current one.
#include "engine/session/commands/command_row.h"
#include "engine/session/state/replay_views.h"
#include "engine/session/use_cases.h"

namespace tw::session::command_replay_on {

Status replay(Parts& parts, State const& from, int row) {
  std::string const& name = from.model->kernel(from.kernel).name;
  TRY_ASSIGN(ReplayInto work,
             replay_into(*from.model, from.now().history.schedule(), name, row, *from.backend));
  parts.cell.commit([&](State& now) {
    if (now.model != from.model) return false;
    auto [place, fresh] = now.kernels.try_emplace(row, work.fresh);
    if (auto branched = with_branch(place->second.history, work.leaf, work.note); branched)
      place->second.history = *branched;
    now.replay = std::make_shared<ReplayView const>(work.view);
    now.kernel = row;
    return true;
  });
  return {};
}

Status run(Parts& parts, ReplayOn const& c) {
  StateCell::Pointer state = parts.cell.read();
  if (!state->has_kernel()) return bad_input("no_kernel", "no kernel is selected");
  TRY_ASSIGN(int row, find_kernel(*state->model, c.kernel));
  if (row == state->kernel)
    return bad_input("same_kernel",
                     "this schedule already belongs to this kernel; choose another kernel");
  if (state->now().history.schedule().trace().empty())
    return bad_input("nothing_to_replay", "the unscheduled loop nest has no steps to replay");
  parts.cell.commit([](State& now) { now.refusal = nullptr, now.error = nullptr; });
  parts.queues.model.start("replay", "replaying the schedule",
                           [&parts, state, row](StopToken, Progress const&) {
                             Status done = replay(parts, *state, row);
                             if (!done) parts.set_error(done.error(), "replay");
                             parts.showing.publish();
                             if (!done) return;
                             parts.modelling.start();
                             parts.measuring.start();
                           });
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_replay_on
