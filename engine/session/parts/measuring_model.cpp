// The whole model is run, on one device or as it is cut.
#include "engine/session/model_roofline.h"
#include "engine/session/parts/parts.h"
#include "engine/session/state/known_devices.h"
#include "engine/session/state/state_cut.h"
#include "engine/session/use_cases.h"

namespace tw::session {
namespace {

constexpr int kRounds = 5;

/// The devices of a cut but the first, ready to run.
Result<std::vector<ChosenDevice>> open_places(Cut const& cut, Options const& options,
                                              StopToken stop) {
  std::vector<ChosenDevice> opened;
  for (size_t i = 1; i < cut.places.size(); ++i) {
    TRY_ASSIGN(ChosenDevice device, open_device(options, cut.places[i], stop));
    opened.push_back(std::move(device));
  }
  return opened;
}

Result<RunResult> run_on_places(LoadedModel const& model, RunOptions options,
                                Options const& session, Backend const& backend, Device& device,
                                StopToken stop, Progress const& progress) {
  TRY_ASSIGN(options.inputs, random_inputs(model, 1));
  TRY_ASSIGN(std::vector<ChosenDevice> others, open_places(options.cut, session, stop));
  for (ChosenDevice const& one : others) options.elsewhere.push_back({*one.backend, *one.device});
  return run_model(model, options, backend, device, stop, progress);
}

void take_times(State& state, RunResult const& run, std::map<int, std::string> const& scripts) {
  auto table = std::make_shared<KernelTable>(*state.table);
  fill_times(*table, *state.model, run, state.machine ? *state.machine : MachineView());
  if (table->total_ms) take_model_time(state, scripts, *table->total_ms);
  state.table = std::move(table);
  state.timed_scripts = scripts;
  state.timed_alone.clear();
}

}  // namespace

Status Measuring::start_model() {
  StateCell::Pointer state = parts_.cell.read();
  if (!state->model) return bad_input("no_model", "no model is open");
  TRY(check_attached(state->here.device));
  RunOptions options;
  options.cache_folder = parts_.options.cache_folder;
  options.rounds = kRounds;
  options.scripts = shaped_scripts(*state);
  if (state->cut_shown) options.cut = cut_of(*state);
  parts_.queues.main.start(
      "model", "measuring the whole model",
      [this, model = state->model, options](StopToken stop, Progress const& progress) {
        measure_model(model, options, stop, progress);
      });
  return {};
}

void Measuring::measure_model(Model const& model, RunOptions options, StopToken stop,
                              Progress const& progress) {
  StateCell::Pointer state = parts_.cell.read();
  if (state->model != model) return;  // another one was opened before its turn
  options.threads = runner_->threads();
  auto run = run_on_places(*model, options, parts_.options, *state->backend, runner_->device(),
                           stop, progress);
  if (!run && !stop.stop_requested()) parts_.set_error(run.error(), "model");
  if (run)
    parts_.cell.commit([&](State& now) {
      if (now.model != model || stop.stop_requested()) return false;
      take_times(now, *run, options.scripts);
      return true;
    });
  parts_.showing.publish();
}

}  // namespace tw::session
