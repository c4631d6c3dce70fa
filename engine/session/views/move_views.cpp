#include "engine/session/views/move_views.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/compile/modelled_time.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/names.h"
#include "engine/schedule/trace.h"

namespace tw::session {
namespace {

std::string line_of(std::vector<Step> const& steps) {
  std::string line;
  for (Step const& step : steps) line += (line.empty() ? "" : "; ") + to_text(step);
  return line;
}

int first_loop(ir::Program const& program, std::vector<Step> const& steps) {
  for (Step const& step : steps)
    for (std::string const& target : step.targets)
      if (auto loop = find_loop(program, target)) return loop->loop->id.value;
  return -1;
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

}  // namespace

moves::Model model_of(ir::Program const& now, Backend const& backend, Roofs const& roofs) {
  return [&backend, &roofs, memo = known_nests(now)](ir::Program const& program) {
    return modelled_time(program, backend, roofs, memo.get()).value_or(analysis::TimeModel{});
  };
}

MoveView move_view(moves::NextMove const& move, ir::Program const& now) {
  return {.line = line_of(move.steps),
          .idea = move.idea,
          .about = move.about,
          .tensor = move.tensor,
          .effect = move.effect,
          .ms = move.model.seconds * 1e3,
          .gain = move.gain,
          .bound = move.model.bound,
          .bytes = move.model.levels.empty() ? 0 : move.model.levels.back().bytes,
          .loop = first_loop(now, move.steps)};
}

Result<MovesView> moves_view(Schedule const& schedule, Backend const& backend, Roofs const& roofs,
                             moves::MovesWanted const& wanted) {
  TRY(is_known(schedule.program(), wanted.of));
  moves::MovesWanted full = wanted;
  // Steps name a loop after its block: "j" is "C.j" there.
  if (auto loop = find_loop(schedule.program(), wanted.of);
      loop && !find_block(schedule.program(), wanted.of))
    full.of = reference_of(schedule.program(), loop->loop->id);
  TRY_ASSIGN(moves::NextMoves found,
             moves::next_moves(schedule, backend.target().hardware,
                               model_of(schedule.program(), backend, roofs), full));
  MovesView view{.ms = found.now.seconds * 1e3,
                 .bound = found.now.bound,
                 .sentence = moves::binding_sentence(found),
                 .moves = {},
                 .tried = found.tried,
                 .refused = {}};
  for (moves::NextMove const& move : found.moves)
    view.moves.push_back(move_view(move, schedule.program()));
  for (auto const& [code, count] : found.refused)
    view.refused.push_back(fmt::format("{} {}", count, code));
  return view;
}

}  // namespace tw::session
