// Tuning of the whole model: a job like that of one kernel, whose result becomes the kernels'
// schedules.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "engine/session/state/opened_trial.h"
#include "engine/session/state/session_impl.h"
#include "engine/session/state/tuning_clock.h"
#include "engine/session/views/tuning_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

constexpr int kTrialsOfEachKernel = 32;  // where nobody says how many, or for how long

TunedKernelRow row_of(TunedKernel const& kernel, LoadedModel const& model) {
  TunedKernelRow row;
  row.row = kernel.kernel;
  row.kernel = model.kernel(kernel.kernel).name;
  row.calls = kernel.calls;
  row.before_ms = kernel.rule_ms;
  return row;
}

TunedKernelRow* find_row(ModelTuningView& view, int row) {
  auto found = std::ranges::find(view.kernels, row, &TunedKernelRow::row);
  return found == view.kernels.end() ? nullptr : &*found;
}

void begin_stage(ModelTuningView& view, ModelTuneStage stage, int row) {
  constexpr ModelTuningState kStates[] = {
      ModelTuningState::kSearching, ModelTuningState::kComparing, ModelTuningState::kNetworks};
  view.state = kStates[size_t(stage)];
  for (TunedKernelRow& one : view.kernels)
    if (one.turn != KernelTurn::kLeftOut) one.turn = KernelTurn::kWaits;
  if (TunedKernelRow* one = find_row(view, row))
    one->turn = stage == ModelTuneStage::kComparing ? KernelTurn::kCompared : KernelTurn::kSearched;
}

void take_attempt_into(TunedKernelRow& row, Attempt const& attempt) {
  row.trials = attempt.number;
  row.best_ms = attempt.best_seconds * 1e3;
  if (attempt.point.empty() && !attempt.seconds.empty())
    row.default_ms = std::ranges::min(attempt.seconds) * 1e3;
}

void take_result_into(ModelTuningView& view, TunedModel const& tuned) {
  view.before_ms = tuned.rule_ms;
  view.after_ms = tuned.tuned_ms;
  view.ended = words_of(tuned.end);
  for (TunedKernel const& kernel : tuned.kernels) {
    TunedKernelRow* row = find_row(view, kernel.kernel);
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

struct SessionImpl::ModelTuningJob {
  Model model = {};
  TuneModel wanted;
  TriedOn where = {};  ///< the device in use when it began
  std::map<int, std::string> standing = {};
  StopToken stop = {}, enough = {};
  TuningClock clock;
  // These with the session's mutex held.
  ModelTuningView view = {};
  std::map<int, TuningRun> runs = {};  ///< by the kernel's row
};

/// Of the kernel, its trials so far; with the mutex held.
TuningRun& SessionImpl::run_of(ModelTuningJob& job, int kernel) {
  TuningRun& run = job.runs[kernel];
  run.row = kernel;
  run.kernel = job.model->kernel(kernel).name;
  run.search = job.view.search;
  run.device = job.where.device;
  run.seed = job.wanted.seed;
  run.devices.resize(job.view.devices.size());
  for (size_t i = 0; i < run.devices.size(); ++i) run.devices[i].name = job.view.devices[i].name;
  return run;
}

Status SessionImpl::run(TuneModel const& c) {
  if (c.trials < 0 || c.seconds < 0 || c.seed < 1)
    return bad_input("bad_budget",
                     "a tuning takes a number of trials and a time that are not negative, and a "
                     "seed of at least 1");
  TRY_ASSIGN(SearchRow search,
             c.search.empty() ? Result<SearchRow>(tw::searches().front()) : find_search(c.search));
  auto job = std::make_shared<ModelTuningJob>(
      ModelTuningJob{.wanted = c, .clock = TuningClock(c.trials, c.seconds)});
  {
    std::lock_guard lock(mutex_);
    if (!state_.model) return bad_input("no_model", "no model is open");
    if (state_.model->is_expression)
      return bad_input("no_network", "this is a kernel alone: tune the kernel");
    if (state_.cut_shown)
      return bad_input("model_is_cut",
                       "the model runs on several devices: run it on one to tune it");
    if (tuner_.runs)
      return bad_input("tuning_goes_on", "another tuning is not at its end; stop it first");
    job->model = state_.model;
    job->where = state_.here;
    job->standing = shaped_scripts(state_);
    job->view.search = search.name;
    job->view.seconds = c.seconds;
    job->view.budget = c.trials > 0    ? c.trials
                       : c.seconds > 0 ? 0
                                       : kTrialsOfEachKernel * int(state_.table->rows.size());
    job->view.devices.push_back({.name = state_.here.device});
    tuner_ = Tuner{.runs = true, .last_number = tuner_.last_number, .of_model = true};
    job->enough = tuner_.enough.get_token();
    state_.model_tuning = std::make_shared<ModelTuningView const>(job->view);
  }
  tune_jobs_.start("tune", "tuning the model", [this, job](StopToken stop, Progress const&) {
    job->stop = stop;
    tune_model_job(*job);
  });
  return {};
}

void SessionImpl::tune_model_job(ModelTuningJob& job) {
  wait_for_others(job.stop);
  job.clock.begin();
  auto tuned = tuned_model(job);
  Status taken;
  if (tuned) taken = take_tuned(job, *tuned);
  {
    std::lock_guard lock(mutex_);
    ModelTuningView& view = job.view;
    if (tuned) {
      take_result_into(view, *tuned);
      if (!taken) view.error = to_sentence(taken.error());
    } else {
      view.ended = job.stop.stop_requested() ? words_of(TuneEnd::kStopped) : "it failed";
      if (!job.stop.stop_requested()) view.error = to_sentence(tuned.error());
    }
    view.state = ModelTuningState::kEnded;
    view.elapsed = job.clock.elapsed();
    rest(view.devices);
    keep_runs(job, tuned ? &*tuned : nullptr);
    if (state_.model == job.model)
      state_.model_tuning = std::make_shared<ModelTuningView const>(view);
  }
  publish();
  if (tuned && job.view.changed > 0) {
    start_modelling();
    start_measuring();
    if (options_.measure) (void)run(MeasureModel{});
  }
  tuner_is_done();
}

/// Its trials can be looked at and opened, kernel by kernel. With the mutex held.
void SessionImpl::keep_runs(ModelTuningJob& job, TunedModel const* tuned) {
  if (state_.model != job.model) return;
  for (TunedKernelRow& row : job.view.kernels) {
    TuningRun& run = job.runs[row.row];
    if (run.trials.empty()) continue;
    run.number = row.run = ++tuner_.last_number;
    run.state = TuningState::kEnded;
    run.budget = int(run.trials.size());
    bool compared = false;
    if (tuned)
      for (TunedKernel const& kernel : tuned->kernels)
        if (kernel.kernel == row.row && kernel.result)
          take_result(*kernel.result, run), compared = true;
    if (!compared) offer_least(run);
    run.ended = "the tuning of the model is over";
    state_.runs.push_back(std::make_shared<TuningRun const>(run));
  }
}

/// The other devices that take a share, open. Errors: other_kind, those of opening.
Result<std::vector<ChosenDevice>> SessionImpl::open_sharing(ModelTuningJob& job,
                                                            Hardware const& first) const {
  std::vector<ChosenDevice> opened;
  std::istringstream names(job.wanted.with);
  for (auto name = std::istream_iterator<std::string>(names);
       name != std::istream_iterator<std::string>(); ++name) {
    TRY_ASSIGN(ChosenDevice device, open_device(*name, job.stop));
    Hardware const& hardware = device.backend->target().hardware;
    if (hardware.target != first.target || hardware.name != first.name)
      return refused("other_kind",
                     fmt::format("{} is {}, not {}: a search is shared by devices of one kind",
                                 *name, hardware.name, first.name));
    device.title = *name;
    opened.push_back(std::move(device));
  }
  return opened;
}

ModelTuneRequest SessionImpl::model_request(ModelTuningJob& job) {
  ModelTuneRequest request;
  request.kernels = tune_request(job.where.device, job.view.search, job.wanted.seed, job.stop);
  request.kernels.options.trials = job.view.budget;
  request.kernels.options.seconds = job.wanted.seconds;
  request.kernels.options.enough = job.enough;
  request.kernels.options.on_device = [this, &job](int device, DeviceShare const& share) {
    take_model_device(job, device, share);
  };
  request.cache_folder = options_.cache_folder;
  request.standing = job.standing;
  request.on_attempt = [this, &job](int kernel, Attempt const& attempt) {
    take_model_attempt(job, kernel, attempt);
  };
  request.on_surveyed = [this, &job](std::vector<TunedKernel> const& kernels) {
    show_model_tuning(job, [&](ModelTuningView& view) {
      for (TunedKernel const& one : kernels) {
        view.kernels.push_back(row_of(one, *job.model));
        view.before_ms = view.before_ms.value_or(0) + one.rule_ms;
      }
    });
  };
  request.on_stage = [this, &job](ModelTuneStage stage, int kernel) {
    show_model_tuning(job, [&](ModelTuningView& view) { begin_stage(view, stage, kernel); });
  };
  return request;
}

Result<TunedModel> SessionImpl::tuned_model(ModelTuningJob& job) {
  TRY_ASSIGN(ChosenDevice chosen, open_device(job.where.device, job.stop));
  TRY_ASSIGN(std::vector<ChosenDevice> others,
             open_sharing(job, chosen.backend->target().hardware));
  auto store = opened_trial_store(options_.trial_store);
  ModelTuneRequest request = model_request(job);
  if (store) request.kernels.store = store->get();
  for (ChosenDevice const& other : others)
    request.kernels.others.push_back({other.title, other.device.get()});
  show_model_tuning(job, [&](ModelTuningView& view) {
    for (ChosenDevice const& other : others) view.devices.push_back({.name = other.title});
    if (!store) view.not_stored = to_sentence(store.error());
  });
  auto tuned = tune_model(*job.model, request, chosen.backend, *chosen.device);
  if (tuned && !tuned->not_stored.empty())
    show_model_tuning(job, [&](ModelTuningView& view) { view.not_stored = tuned->not_stored; });
  return tuned;
}

void SessionImpl::show_model_tuning(ModelTuningJob& job,
                                    std::function<void(ModelTuningView&)> const& change,
                                    bool shown) {
  {
    std::lock_guard lock(mutex_);
    change(job.view);
    job.view.elapsed = job.clock.elapsed();
    job.view.stopping = job.enough.stop_requested();
    if (!shown || state_.model != job.model) return;
    state_.model_tuning = std::make_shared<ModelTuningView const>(job.view);
  }
  publish_tuning();
}

/// On the tuner's thread, which goes on when this returns.
void SessionImpl::take_model_attempt(ModelTuningJob& job, int kernel, Attempt const& attempt) {
  auto take = [&](ModelTuningView& view) {
    ++view.trials;
    TuningDevice& device = view.devices[size_t(attempt.device)];
    device.trials_a_second = job.clock.trials_a_second(++device.trials);
    if (TunedKernelRow* row = find_row(view, kernel)) take_attempt_into(*row, attempt);
    TuningRun& run = run_of(job, kernel);
    ++run.devices[size_t(attempt.device)].trials;
    run.trials.push_back(std::make_shared<TuningTrial const>(trial_view(attempt)));
  };
  show_model_tuning(job, take, job.clock.should_show(attempt.number));
  auto waits_since = std::chrono::steady_clock::now();
  auto show = [&](bool paused) {
    show_model_tuning(job, [&](ModelTuningView& view) {
      view.state = paused ? ModelTuningState::kPaused : ModelTuningState::kSearching;
      if (paused) rest(view.devices);
    });
  };
  wait_while_paused(show, job.stop);
  wait_for_others(job.stop);
  job.clock.leave_out(std::chrono::steady_clock::now() - waits_since);
}

void SessionImpl::take_model_device(ModelTuningJob& job, int device, DeviceShare const& share) {
  auto take = [&](ModelTuningView& view) {
    TuningDevice& shown = view.devices[size_t(device)];
    TuningDevice next = device_view(share);
    next.name = shown.name;
    next.trials = shown.trials;
    next.trials_a_second = shown.trials_a_second;
    shown = std::move(next);
  };
  show_model_tuning(job, take, job.clock.is_slow(job.view.trials));
}

/// What is faster in the network becomes the kernels' schedules, each a branch of its history.
Status SessionImpl::take_tuned(ModelTuningJob& job, TunedModel const& tuned) {
  for (TunedKernel const& kernel : tuned.kernels) {
    auto script = tuned.scripts.find(kernel.kernel);
    if (script == tuned.scripts.end()) continue;
    std::lock_guard lock(mutex_);
    if (state_.model != job.model)
      return refused("model_changed",
                     "the model or the device was changed meanwhile: nothing was applied");
    auto work = state_.kernels.find(kernel.kernel);
    if (work == state_.kernels.end()) {
      TRY_ASSIGN(KernelWork begun, begin_kernel(*job.model, kernel.kernel, *backend()));
      work = state_.kernels.emplace(kernel.kernel, std::move(begun)).first;
    }
    double ms = kernel.result->seconds * 1e3;
    TRY_ASSIGN(History history,
               opened({script->second, "the tuning of the model", ms}, work->second.history));
    auto flops = double(job.model->kernel(kernel.kernel).flops);
    int leaf = history.current();
    history = history.with_measured(leaf, job.where, {.min_ms = ms, .gflops = flops / ms * 1e-6});
    work->second.history = history.with_correctness(leaf, job.where, Correctness::kCorrect,
                                                    "judged while it was tuned");
    ++job.view.changed;
  }
  return {};
}

}  // namespace tw::session
