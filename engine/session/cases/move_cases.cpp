#include "engine/session/cases/move_cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/backend/backend.h"
#include "engine/compile/kernel_code.h"
#include "engine/compile/load_time.h"
#include "engine/ir/rewrite.h"
#include "engine/moves/next_moves.h"
#include "engine/schedule/names.h"
#include "engine/schedule/trace.h"
#include "engine/session/model/loaded_model.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

/// Less is within what the model can say of a kernel.
constexpr double kWorthIt = 1.01;

moves::Model model_of(Backend const& backend, Roofs const& roofs) {
  return [&backend, &roofs](ir::Program const& program) {
    ir::Program runs = split_load_time(program).at_run;
    analysis::Locality locality(runs, backend.target().hardware.line_bytes());
    return backend.model_time(runs, locality, roofs).value_or(analysis::TimeModel{});
  };
}

std::string line_of(std::vector<Step> const& steps) {
  std::string line;
  for (Step const& step : steps) line += (line.empty() ? "" : "; ") + to_text(step);
  return line;
}

MoveView view_of(moves::NextMove const& move) {
  return {line_of(move.steps),      move.idea, move.about,      move.effect,
          move.model.seconds * 1e3, move.gain, move.model.bound};
}

Status is_known(ir::Program const& program, std::string const& of) {
  if (of.empty() || find_block(program, of) || find_loop(program, of)) return {};
  auto is = [&](ir::Buffer const& buffer) { return buffer->name == of; };
  bool tensor = std::ranges::any_of(program.inputs, is) || std::ranges::any_of(program.outputs, is);
  ir::walk(program.body, [&](ir::Stmt const& s) {
    auto const* alloc = s.as<ir::Alloc>();
    tensor = tensor || (alloc && is(alloc->buffer));
    return true;
  });
  if (tensor) return {};
  return bad_input("unknown_name", fmt::format("no loop, block or tensor is called '{}'", of));
}

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

Result<MovesView> moves_view(Schedule const& schedule, Backend const& backend, Roofs const& roofs,
                             MovesAsked const& asked) {
  TRY(is_known(schedule.program(), asked.of));
  moves::MovesWanted wanted{.of = asked.of,
                            .most = asked.most,
                            .variants = asked.variants,
                            .effort = asked.effort,
                            .stop = asked.stop};
  TRY_ASSIGN(moves::NextMoves found, moves::next_moves(schedule, backend.target().hardware,
                                                       model_of(backend, roofs), wanted));
  MovesView view{.ms = found.now.seconds * 1e3,
                 .bound = found.now.bound,
                 .sentence = moves::binding_sentence(found),
                 .moves = {},
                 .tried = found.tried,
                 .refused = {}};
  for (moves::NextMove const& move : found.moves) view.moves.push_back(view_of(move));
  for (auto const& [code, count] : found.refused)
    view.refused.push_back(fmt::format("{} {}", count, code));
  return view;
}

Result<MovesView> legal_moves(LoadedModel const& model, int kernel, NamedScript const& script,
                              MachineView const& machine, Backend const& backend,
                              MovesAsked const& asked) {
  TRY_ASSIGN(Asking at, asking(model, kernel, script, machine, backend));
  return moves_view(at.schedule, backend, *at.roofs, asked);
}

Result<FollowedMoves> follow_moves(LoadedModel const& model, int kernel, NamedScript const& script,
                                   MachineView const& machine, Backend const& backend,
                                   int most_moves, StopToken stop) {
  TRY_ASSIGN(Asking at, asking(model, kernel, script, machine, backend));
  moves::MovesWanted wanted{.most = 1, .effort = Effort::kWork, .stop = stop};
  FollowedMoves followed;
  for (int i = 0; i < most_moves && !stop.stop_requested(); ++i) {
    TRY_ASSIGN(moves::NextMoves found, moves::next_moves(at.schedule, backend.target().hardware,
                                                         model_of(backend, *at.roofs), wanted));
    if (i == 0) followed.before_ms = followed.after_ms = found.now.seconds * 1e3;
    if (found.moves.empty() || found.moves.front().gain < kWorthIt) break;
    for (Step const& step : found.moves.front().steps)
      at.schedule = std::move(at.schedule).apply(step).value();  // it was proved
    followed.taken.push_back(view_of(found.moves.front()));
    followed.after_ms = followed.taken.back().ms;
  }
  followed.script = at.schedule.script();
  return followed;
}

}  // namespace tw::session
