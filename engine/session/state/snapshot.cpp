// What a snapshot shows of a state.
#include "engine/backend/backend.h"
#include "engine/ir/program.h"
#include "engine/session/state/kind_schedules.h"
#include "engine/session/state/session_state.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace {

std::shared_ptr<NestView const> nest_of(State const& state, Snapshot const& before) {
  ir::Program const& program = state.now().history.schedule().program();
  bool same = before.nest && before.kernel == state.kernel && before.code_stages == state.stages &&
              before.nest->program_hash == ir::hash(program);
  if (same) return before.nest;
  Hardware const hardware = state.backend->target().hardware;
  std::vector<int64_t> caches;
  for (MemoryLevel const& cache : hardware.caches()) caches.push_back(cache.bytes);
  return std::make_shared<NestView const>(nest_view(program, caches, *state.backend));
}

}  // namespace

std::shared_ptr<ErrorView const> error_view(Error const& error, std::string job) {
  return std::make_shared<ErrorView const>(
      ErrorView{error.code, to_sentence(error), std::move(job)});
}

void mend(State& state, std::string_view job) {
  if (state.error && state.error->job == job) state.error = nullptr;
}

std::shared_ptr<TuningView const> tuning_view(State const& state) {
  std::vector<KeptSchedule> kept = kept_elsewhere(state);
  if (state.runs.empty() && !state.model_tuning && !state.ablation && kept.empty()) return nullptr;
  return std::make_shared<TuningView const>(TuningView{
      state.runs, state.model_tuning, state.ablation, state.tuned_beside, std::move(kept)});
}

Snapshot snapshot_of(State const& state, Snapshot const& before) {
  Snapshot next;
  next.model = state.model_view;
  next.graph = state.graph;
  next.cut = state.cut_shown;
  next.kernel = state.kernel;
  next.code_stages = state.stages;
  next.has_timeline = state.backend->has_timeline();
  next.has_launches = state.backend->has_launches();
  next.machine = state.machine;
  next.refusal = state.refusal;
  next.error = state.error;
  next.exported = state.exported;
  next.quantized = state.quantized;
  next.replay = state.replay;
  next.tuning = tuning_view(state);
  if (state.model) next.kernels = table_with_states(state);
  if (!state.has_kernel()) return next;
  next.nest = nest_of(state, before);
  next.history = history_view(state);
  next.roofline = roofline_view(state);
  return next;
}

}  // namespace tw::session
