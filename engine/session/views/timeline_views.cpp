#include "engine/session/views/timeline_views.h"

#include "engine/compile/load_time.h"
#include "engine/hardware/timeline_text.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace {

/// The lines of the last stage: what code is made of.
Result<std::vector<CodeLine>> lowered_lines(ir::Program const& program, Backend const& backend) {
  TRY_ASSIGN(std::vector<LoweredStage> stages,
             lower(program, backend.target(), backend.passes(), environment_lower_options()));
  return text_of_stage(stages.back().kernel, {}).lines;
}

}  // namespace

SimulatedState simulated_state(ir::Program const& program, Backend const& backend, StopToken stop) {
  ir::Program const runs = split_load_time(program).at_run;
  auto timeline = backend.timeline(runs, stop);
  Status right = timeline ? check(*timeline) : Status(std::unexpected(timeline.error()));
  if (!right) {
    SimulatedState none;
    none.failure = to_sentence(right.error());
    return none;
  }
  SimulatedState state = indexed(*std::move(timeline));
  if (auto lines = lowered_lines(runs, backend)) state.lines = *std::move(lines);
  return state;
}

}  // namespace tw::session
