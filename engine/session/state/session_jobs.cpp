#include "engine/session/state/kind_schedules.h"
#include "engine/session/state/session_impl.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/compile/kernel_code.h"
#include "engine/session/state/state_costs.h"
#include "engine/session/state/state_cut.h"

namespace tw::session {

Status SessionImpl::run(MeasureAgain const&) {
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    History& history = state_.now().history;
    history = history.with_correctness(history.current(), state_.here, Correctness::kUnknown, "");
    state_.now().checked.erase(history.current());
    state_.now().judged_further.erase(history.current());
  }
  start_measuring();
  return {};
}

/// Measures the current step if nobody has, then the schedule by rule, so that there is something
/// to compare with.
void SessionImpl::start_measuring() {
  for (char const* kind : {"again", "background"}) jobs_.cancel(kind);
  if (!options_.measure) return;
  std::vector<int> wanted;
  int kernel = -1, current = 0;
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return;
    kernel = state_.kernel;
    History const& history = state_.now().history;
    current = history.current();
    for (int id : {history.current(), state_.now().default_node, 0}) {
      if (id < 0) continue;
      Trial const& trial = history.node(id).on(state_.here);
      bool known = (trial.measured && trial.correctness != Correctness::kUnknown) ||
                   trial.correctness == Correctness::kWrong;
      if (!known && std::find(wanted.begin(), wanted.end(), id) == wanted.end())
        wanted.push_back(id);
    }
  }
  if (wanted.empty())
    jobs_.cancel("measure");
  else
    jobs_.start("measure", "measuring",
                [this, kernel, wanted](StopToken stop, Progress const& progress) {
                  for (int node : wanted)
                    if (!stop.stop_requested()) measure_node(kernel, node, stop, progress);
                });
  start_checking(kernel, current);
}

/// Behind every measurement, since nobody waits for it; a step taken meanwhile stops it.
void SessionImpl::start_checking(int kernel, int node) {
  jobs_.start(
      "check", "checking every access",
      [this, kernel, node](StopToken stop, Progress const&) { check_node(kernel, node, stop); });
}

void SessionImpl::check_node(int kernel, int node, StopToken stop) {
  Model model;
  std::optional<Schedule> schedule;
  bool checked = false;
  {
    std::lock_guard lock(mutex_);
    auto work = state_.kernels.find(kernel);
    if (!state_.model || work == state_.kernels.end() || !work->second.history.has(node)) return;
    HistoryNode const& known = work->second.history.node(node);
    if (known.on(state_.here).correctness != Correctness::kCorrect ||
        work->second.judged_further.contains(node))
      return;
    model = state_.model;
    schedule = known.schedule;
    checked = work->second.checked.contains(node);
  }
  if (!checked) {
    auto run = laboratory_->check(model, kernel, schedule->program(), stop);
    if (!keep_check(model, kernel, node, stop, [&](KernelWork& work) {
          work.checked.insert(node);
          work.history = with_checked_run(work.history, node, state_.here, run);
        }))
      return;
  }
  auto further = laboratory_->judge_further(model, kernel, schedule->program(), stop);
  keep_check(model, kernel, node, stop, [&](KernelWork& work) {
    work.judged_further.insert(node);
    work.history = with_further_inputs(work.history, node, state_.here, further);
  });
}

/// False: the node is gone, or wrong by what was kept.
bool SessionImpl::keep_check(Model const& model, int kernel, int node, StopToken const& stop,
                             std::function<void(KernelWork&)> const& keep) {
  bool right = false;
  {
    std::lock_guard lock(mutex_);
    if (state_.model != model || stop.stop_requested()) return false;
    KernelWork& work = state_.kernels.at(kernel);
    if (!work.history.has(node)) return false;
    keep(work);
    right = work.history.node(node).on(state_.here).correctness == Correctness::kCorrect;
  }
  publish();
  return right;
}

void SessionImpl::measure_node(int kernel, int node, StopToken stop, Progress const& progress) {
  Model model;
  std::optional<Schedule> schedule;
  {
    std::lock_guard lock(mutex_);
    auto work = state_.kernels.find(kernel);
    if (!state_.model || work == state_.kernels.end() || !work->second.history.has(node)) return;
    model = state_.model;
    schedule = work->second.history.node(node).schedule;
    state_.measuring = node;
  }
  publish();
  for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
    if (tier == CodeTier::kFull)
      publish();  // the first number is shown while the finer one is made
    auto outcome = laboratory_->measure(model, kernel, schedule->program(), tier, stop, progress);
    // On the way to a schedule a target often has no code for a step: that is no failure.
    bool has_code = outcome || outcome.error().fault != Fault::kRefused ||
                    compile_kernel(schedule->program(), *backend(), tier, stop);
    std::lock_guard lock(mutex_);
    if (state_.model != model) return;
    state_.measuring = -1;
    if (stop.stop_requested()) break;
    History& history = state_.kernels.at(kernel).history;
    if (!outcome) {
      history = history.with_failure(node, state_.here, to_sentence(outcome.error()));
      // What is only there to compare with, such as a plain nest that a target does not run, has
      // its failure in the history.
      if (node == history.current() && has_code) state_.error = view_of(outcome.error(), "measure");
      break;
    }
    mended("measure");
    Comparison const& c = outcome->comparison;
    std::string words = fmt::format("largest difference {:.2g}, largest value {:.3g}",
                                    c.max_abs_diff, c.max_abs_ref);
    history = history.with_correctness(
        node, state_.here, c.equal ? Correctness::kCorrect : Correctness::kWrong, words);
    if (!c.equal) break;  // a wrong answer has no time
    double ms = outcome->result.samples.least() * 1e3;
    keep_time(history, model->kernel(kernel).flops, node, *outcome);
    if (history.node(node).on(state_.here).measured->disturbed) wait_for_quiet();
    if (ms > 50) break;  // slow code gains nothing from a second look
    state_.measuring = tier == CodeTier::kFast ? node : -1;
  }
  {
    std::lock_guard lock(mutex_);
    state_.measuring = -1;
  }
  if (doubt_roofs_of(kernel, node)) wait_for_quiet();
  publish();
}

Result<RunResult> SessionImpl::measure_model(Model const& model, RunOptions options, StopToken stop,
                                             Progress const& progress) {
  TRY_ASSIGN(options.inputs, random_inputs(*model, 1));
  TRY_ASSIGN(std::vector<ChosenDevice> others, open_places(options.cut, stop));
  for (ChosenDevice const& one : others) options.elsewhere.push_back({*one.backend, *one.device});
  return run_model(*model, options, *backend(), laboratory_->device(), stop, progress);
}

Status SessionImpl::run(MeasureModel const&) {
  Model model;
  RunOptions options;
  options.cache_folder = options_.cache_folder;
  options.rounds = 5;
  {
    std::lock_guard lock(mutex_);
    if (!state_.model) return bad_input("no_model", "no model is open");
    model = state_.model;
    options.scripts = shaped_scripts(state_);
    if (state_.cut_shown) options.cut = cut_of(state_);
  }
  jobs_.start("model", "measuring the whole model",
              [this, model, options](StopToken stop, Progress const& progress) mutable {
                options.threads = laboratory_->threads();
                {
                  std::lock_guard lock(mutex_);
                  if (state_.model != model) return;  // another one was opened before its turn
                }
                auto run = measure_model(model, options, stop, progress);
                if (!run) {
                  if (!stop.stop_requested()) set_error(run.error(), "model");
                  return publish();
                }
                {
                  std::lock_guard lock(mutex_);
                  if (state_.model != model || stop.stop_requested()) return;
                  auto table = std::make_shared<KernelTable>(*state_.table);
                  fill_times(*table, *model, *run,
                             state_.machine ? *state_.machine : MachineView());
                  if (table->total_ms) take_model_time(state_, options.scripts, *table->total_ms);
                  state_.table = std::move(table);
                  state_.timed_scripts = options.scripts;
                  state_.timed_alone.clear();
                }
                publish();
              });
  return {};
}

Status SessionImpl::start_export(std::string const& target, std::string const& folder,
                                 std::string const& kernel) {
  if (!options_.exports.backend_for)
    return environment_failed("no_runtime", "this build of Tilewright cannot export models");
  ExportRequest request{.folder = folder,
                        .target = target,
                        .threads = options_.threads > 0
                                       ? options_.threads
                                       : options_.backend->target().hardware.unit().count,
                        .scripts = {},
                        .cache_folder = options_.cache_folder,
                        .kernel = -1,
                        .parameters = {}};
  // The first target is this machine, whatever device is in use.
  std::vector<std::string> const& targets = options_.exports.targets;
  bool is_here = target.empty() || (!targets.empty() && target == targets.front());
  std::string kind = is_here ? kind_text(options_.backend->target().hardware) : "";
  Model model;
  {
    std::lock_guard lock(mutex_);
    if (!state_.model) return bad_input("no_model", "no model is open");
    model = state_.model;
    if (!kernel.empty()) {
      TRY_ASSIGN(request.kernel, find_kernel(*model, kernel));
    }
    TRY_ASSIGN(request.scripts, scripts_to_export(state_, request.kernel, kind));
    request.is_cut = state_.cut_shown != nullptr;
    state_.exported = nullptr;
    state_.error = nullptr;
  }
  errands_.start("export", kernel.empty() ? "exporting the model" : "exporting " + kernel,
                 [this, model, request](StopToken stop, Progress const& progress) {
                   // What is made while exporting is made here, whatever device is in use.
                   ChosenDevice here = this_machine(options_);
                   auto view = export_to_folder(*model, request, options_.exports, *here.backend,
                                                *here.device, stop, progress);
                   if (!view && !stop.stop_requested()) set_error(view.error(), "export");
                   if (view) {
                     std::lock_guard lock(mutex_);
                     state_.exported = std::make_shared<ExportView const>(std::move(*view));
                   }
                   publish();
                 });
  return {};
}

/// Of the device in use: a new measurement that was stopped leaves the ones that there are.
bool SessionImpl::knows_roofs() const {
  std::lock_guard lock(mutex_);
  return state_.machine && state_.machine->rates;
}

std::shared_ptr<void> SessionImpl::hold_others() {
  model_jobs_.hold();
  memo_.hold();
  return std::shared_ptr<void>(nullptr, [this](void*) {
    model_jobs_.release();
    memo_.release();
  });
}

void SessionImpl::start_roofs(bool again) {
  jobs_.start("roofs", "measuring this machine",
              [this, again](StopToken stop, Progress const& progress) {
                auto look = [&](bool measure) {
                  return machine_view(*backend(), laboratory_->device(), options_.cache_folder,
                                      measure, again, stop, progress, laboratory_->title());
                };
                auto plain = look(false);
                auto view = options_.measure ? look(true) : plain;
                if (!view && !stop.stop_requested()) set_error(view.error(), "roofs");
                if (view && options_.measure) {
                  std::lock_guard lock(mutex_);
                  mended("roofs");
                }
                if (view || !knows_roofs()) take_machine(view ? *view : *plain);
                if (view && view->roofs_doubtful) wait_for_quiet();
                publish();
                start_modelling();
              });
}

Status SessionImpl::run(UseDevice const& c) {
  if (!options_.open_device)
    return bad_input("no_devices", "only this machine is available as a device");
  for (char const* kind : {"measure", "check", "model", "roofs"}) jobs_.cancel(kind);
  stop_ablation();
  clear_error();
  jobs_.start("device", "querying " + c.name,
              [this, name = c.name](StopToken stop, Progress const&) {
                auto chosen = open_device(options_, name, stop);
                if (chosen)
                  use(std::move(*chosen));
                else if (!stop.stop_requested())
                  set_error(chosen.error(), "device");
                publish();
                // Also when nothing changed: this stopped what was being measured.
                start_roofs(false);
                start_measuring();
              });
  return {};
}

/// On the job thread. The model is planned again, with the schedules that were made by hand, for
/// what the new device is; times belong to the device that they were measured on.
void SessionImpl::use(ChosenDevice chosen) {
  std::string source, shapes, before;
  std::shared_ptr<Project> kept;
  {
    std::lock_guard lock(mutex_);
    before = state_.here.device;
    if (state_.model)
      kept = std::make_shared<Project>(for_other_device(project_of(state_), before));
    if (kept && !kept->model.accelerator.empty()) kept->cut.clear();  // it is cut for this one
    backend_ = chosen.backend;
    laboratory_ = std::make_unique<Laboratory>(std::move(chosen), options_.threads);
    laboratory_->while_timing([this] { return hold_others(); });
    state_.here = laboratory_->tried_on();
    state_.kind = kind_text(backend()->target().hardware);
    state_.kind_words = machine_words(*backend());
    stages_ = std::make_shared<std::vector<CodeStage> const>(code_stages(*backend()));
    state_.machine = nullptr;
    source = state_.source;
    shapes = state_.shapes;
    if (kept && kept->model.accelerator == state_.here.device)  // it is no longer beside
      kept->model.accelerator.clear();
  }
  bool offloads = kept && !kept->model.accelerator.empty();
  // One that was asked for meanwhile takes its place: it is opened for this device.
  if (kept && !jobs_.waits("open"))
    (void)open(source, kept, shapes, {.device_before = before, .cut_by_rule = offloads});
}

}  // namespace tw::session
