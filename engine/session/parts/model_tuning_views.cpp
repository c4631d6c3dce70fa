// What a model's tuning on one kind of devices shows, and what it leaves in the state.
#include <fmt/format.h>

#include <algorithm>

#include "engine/session/parts/model_tuning_job.h"
#include "engine/session/parts/parts.h"
#include "engine/session/state/kind_schedules.h"
#include "engine/session/state/opened_trial.h"
#include "engine/session/views/tuning_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

void take_result_into(ModelTuningView& view, TunedModel const& tuned, LoadedModel const& model) {
  view.before_ms = tuned.rule_ms;
  view.after_ms = tuned.tuned_ms;
  view.ended = words_of(tuned.end);
  for (TunedKernel const& kernel : tuned.kernels) {
    TunedKernelRow* row = find_row(view, model.kernel(kernel.kernel).name);
    if (!row) continue;
    row->before_ms = kernel.rule_ms;
    row->after_ms = kernel.tuned_ms;
    row->sentence = kernel.left_out;
    row->turn = !kernel.left_out.empty()                ? KernelTurn::kLeftOut
                : tuned.scripts.contains(kernel.kernel) ? KernelTurn::kTuned
                                                        : KernelTurn::kStays;
  }
}

}  // namespace

int row_called(LoadedModel const& model, std::string const& kernel) {
  auto found = std::ranges::find(model.plan.kernels, kernel, &KernelTask::name);
  return found == model.plan.kernels.end() ? -1 : int(found - model.plan.kernels.begin());
}

TunedKernelRow* find_row(ModelTuningView& view, std::string const& kernel) {
  auto found = std::ranges::find(view.kernels, kernel, &TunedKernelRow::kernel);
  return found == view.kernels.end() ? nullptr : &*found;
}

/// Of the kernel, its trials so far.
TuningRun& ModelTuning::run_of(OnKind& on, int kernel) {
  TuningRun& run = on.runs[kernel];
  run.kernel = on.model->kernel(kernel).name;
  run.row = row_called(*on.job.from.model, run.kernel);
  run.search = on.view.search;
  run.device = on.where.device;
  run.kind = on.view.kind;
  run.machine = on.view.machine;
  run.seed = on.job.wanted.seed;
  run.devices.resize(on.view.devices.size());
  for (size_t i = 0; i < run.devices.size(); ++i) {
    run.devices[i].name = on.view.devices[i].name;
    run.devices[i].machine = on.view.devices[i].machine;
  }
  return run;
}

void ModelTuning::place_view(State& state, OnKind const& on) {
  auto view = std::make_shared<ModelTuningView const>(on.view);
  if (on.place == 0) {
    state.model_tuning = std::move(view);
    return;
  }
  state.tuned_beside.resize(std::max(state.tuned_beside.size(), on.place), view);
  state.tuned_beside[on.place - 1] = std::move(view);
}

void ModelTuning::end_view(OnKind& on, FoundOnKind const& found, Status const& taken) {
  ModelTuningView& view = on.view;
  if (found.model) {
    take_result_into(view, *found.model, *on.model);
    if (!found.model->not_stored.empty()) view.not_stored = found.model->not_stored;
    if (!taken) view.error = to_sentence(taken.error());
  } else {
    bool stopped = on.job.stop.stop_requested();
    view.ended = stopped ? words_of(TuneEnd::kStopped) : "it failed";
    if (!stopped) view.error = to_sentence(*found.failure);
  }
  view.state = ModelTuningState::kEnded;
  view.elapsed = on.clock.elapsed();
  rest(view.devices);
}

/// Its trials can be looked at and opened, kernel by kernel.
void ModelTuning::keep_runs(State& state, OnKind& on, TunedModel const* tuned) {
  if (state.model != on.job.from.model || !on.model) return;
  for (TunedKernelRow& row : on.view.kernels) {
    int there = row_called(*on.model, row.kernel);
    TuningRun& run = on.runs[there];
    if (run.trials.empty() || row.row < 0) continue;
    run.number = run.group = row.run = parts_.gate.next_number();
    run.elsewhere = on.view.elsewhere;
    run.state = TuningState::kEnded;
    run.budget = int(run.trials.size());
    bool compared = false;
    if (tuned)
      for (TunedKernel const& kernel : tuned->kernels)
        if (kernel.kernel == there && kernel.result)
          take_result(*kernel.result, run), compared = true;
    if (!compared) offer_least(state, run);
    run.ended = "the tuning of the model is over";
    state.runs.push_back(std::make_shared<TuningRun const>(run));
  }
}

Status ModelTuning::apply_tuned(State& state, OnKind const& on, int kernel,
                                std::string const& script, double ms) {
  Model const& model = on.job.from.model;
  auto work = state.kernels.find(kernel);
  if (work == state.kernels.end()) {
    TRY_ASSIGN(KernelWork begun, begin_kernel(*model, kernel, *state.backend));
    work = state.kernels.emplace(kernel, std::move(begun)).first;
  }
  TRY_ASSIGN(History history,
             opened({script, "the tuning of the model", ms}, work->second.history));
  auto flops = double(model->kernel(kernel).flops);
  int leaf = history.current();
  history = history.with_measured(leaf, on.where, {.min_ms = ms, .gflops = flops / ms * 1e-6});
  work->second.history =
      history.with_correctness(leaf, on.where, Correctness::kCorrect, "checked by the tuning");
  return {};
}

void ModelTuning::keep_tuned(State& state, OnKind const& on, int kernel, std::string const& script,
                             double ms) {
  KernelTask const& task = on.model->kernel(kernel);
  std::string note =
      fmt::format("the tuning of the model on {}, {}", on.where.device, milliseconds_text(ms));
  keep_for_kind(state, {.kernel = task.name,
                        .kind = on.view.kind,
                        .machine = on.view.machine,
                        .computes = computes_text(task),
                        .script = script,
                        .device = on.where.device,
                        .hardware = on.where.machine,
                        .ms = ms,
                        .note = std::move(note)});
}

}  // namespace tw::session
