// Tuning of the whole model: a job like that of one kernel, whose result becomes the kernels'
// schedules.
#include <fmt/format.h>

#include <algorithm>

#include "engine/session/state/kind_schedules.h"
#include "engine/session/state/model_tuning_job.h"
#include "engine/session/state/opened_trial.h"
#include "engine/session/views/tuning_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

constexpr int kTrialsOfEachKernel = 32;  // where nobody says how many, or for how long

/// The kernel's row in the model that is open, which is planned for the device in use; -1: none.
int row_called(LoadedModel const& model, std::string const& kernel) {
  auto found = std::ranges::find(model.plan.kernels, kernel, &KernelTask::name);
  return found == model.plan.kernels.end() ? -1 : int(found - model.plan.kernels.begin());
}

TunedKernelRow row_of(TunedKernel const& kernel, std::string const& name, LoadedModel const& open) {
  TunedKernelRow row;
  row.row = row_called(open, name);
  row.kernel = name;
  row.calls = kernel.calls;
  row.before_ms = kernel.rule_ms;
  return row;
}

TunedKernelRow* find_row(ModelTuningView& view, std::string const& kernel) {
  auto found = std::ranges::find(view.kernels, kernel, &TunedKernelRow::kernel);
  return found == view.kernels.end() ? nullptr : &*found;
}

/// `kernel`: empty, where it is about all.
void begin_stage(ModelTuningView& view, ModelTuneStage stage, std::string const& kernel) {
  constexpr ModelTuningState kStates[] = {
      ModelTuningState::kSearching, ModelTuningState::kComparing, ModelTuningState::kNetworks};
  view.state = kStates[size_t(stage)];
  for (TunedKernelRow& one : view.kernels)
    if (one.turn != KernelTurn::kLeftOut) one.turn = KernelTurn::kWaits;
  if (TunedKernelRow* one = find_row(view, kernel))
    one->turn = stage == ModelTuneStage::kComparing ? KernelTurn::kCompared : KernelTurn::kSearched;
}

void take_attempt_into(TunedKernelRow& row, Attempt const& attempt) {
  row.trials = attempt.number;
  row.best_ms = attempt.best_seconds * 1e3;
  if (attempt.point.empty() && !attempt.seconds.empty())
    row.default_ms = std::ranges::min(attempt.seconds) * 1e3;
}

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

/// Of the kernel, its trials so far; with the mutex held.
TuningRun& SessionImpl::run_of(ModelTuningPart& part, int kernel) {
  TuningRun& run = part.runs[kernel];
  run.kernel = part.model->kernel(kernel).name;
  run.row = row_called(*part.job.from.model, run.kernel);
  run.search = part.view.search;
  run.device = part.where.device;
  run.kind = part.view.kind;
  run.machine = part.view.machine;
  run.seed = part.job.wanted.seed;
  run.devices.resize(part.view.devices.size());
  for (size_t i = 0; i < run.devices.size(); ++i) {
    run.devices[i].name = part.view.devices[i].name;
    run.devices[i].machine = part.view.devices[i].machine;
  }
  return run;
}

Status SessionImpl::run(TuneModel const& c) {
  if (c.trials < 0 || c.seconds < 0 || c.seed < 1)
    return bad_input("bad_budget",
                     "a tuning takes a number of trials and a time that are not negative, and a "
                     "seed of at least 1");
  TRY_ASSIGN(SearchRow search,
             c.search.empty() ? Result<SearchRow>(tw::searches().front()) : find_search(c.search));
  TRY_ASSIGN(std::vector<std::string> devices, devices_named(c.on));
  auto job = std::make_shared<ModelTuningJob>(ModelTuningJob{.wanted = c, .devices = devices});
  {
    std::lock_guard lock(mutex_);
    if (!state_.model) return bad_input("no_model", "no model is open");
    if (state_.model->is_expression)
      return bad_input("no_network", "this is a single kernel: tune the kernel");
    if (state_.cut_shown)
      return bad_input("model_is_cut",
                       "the model runs on several devices: run it on one to tune it");
    if (tuner_.runs)
      return bad_input("tuning_goes_on", "another tuning is still running; stop it first");
    job->from = model_source();
    job->standing = shaped_scripts(state_);
    ModelTuningView& view = job->begun;
    view.search = search.name;
    view.seconds = c.seconds;
    view.budget = c.trials > 0    ? c.trials
                  : c.seconds > 0 ? 0
                                  : kTrialsOfEachKernel * int(state_.table->rows.size());
    for (std::string const& name : devices) view.devices.push_back({.name = name});
    tuner_ = Tuner{.runs = true, .last_number = tuner_.last_number, .of_model = true};
    job->enough = tuner_.enough.get_token();
    state_.model_tuning = std::make_shared<ModelTuningView const>(view);
    state_.tuned_beside.clear();
  }
  tune_jobs_.start("tune", "tuning the model", [this, job](StopToken stop, Progress const&) {
    job->stop = stop;
    tune_model_job(*job);
  });
  return {};
}

void SessionImpl::tune_model_job(ModelTuningJob& job) {
  wait_for_others(job.stop);
  auto kinds = open_kinds(job.devices, job.stop);
  Status arranged = kinds ? arrange_first(job, *kinds) : std::unexpected(kinds.error());
  if (arranged) {
    tune_model_on(job, *kinds);
  } else {
    ModelTuningPart none{.job = job, .clock = TuningClock(0, 0), .view = job.begun};
    end_part(none, {.failure = arranged.error()});
  }
  tuner_is_done();
}

void SessionImpl::tune_model_on(ModelTuningJob& job, std::vector<DeviceKind> const& kinds) {
  begin_searches(kinds.size());
  std::vector<std::unique_ptr<ModelTuningPart>> parts;
  for (DeviceKind const& kind : kinds) {
    parts.push_back(std::make_unique<ModelTuningPart>(
        ModelTuningPart{.job = job,
                        .place = parts.size(),
                        .where = tried_on(kind),
                        .clock = TuningClock(job.wanted.trials, job.wanted.seconds),
                        .view = job.begun}));
    parts.back()->clock.begin();
    take_kind(*parts.back(), kind);
  }
  std::vector<SearchOnKind> searches;
  std::vector<ModelTuningPart*> those;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (Status ready = prepare_part(*parts[i], kinds[i]); !ready) {
      end_part(*parts[i], {.failure = ready.error()});
      continue;
    }
    searches.push_back(search_of(*parts[i], kinds[i]));
    those.push_back(parts[i].get());
  }
  for (ModelTuningPart* part : those) part->clock.begin();
  search_on_kinds(std::move(searches),
                  [&](size_t which, FoundOnKind const& found) { end_part(*those[which], found); });
  bool changed = job.rearranged || std::ranges::any_of(parts, [](auto const& part) {
                   return !part->view.elsewhere && part->view.changed > 0;
                 });
  if (!changed) return;
  start_modelling();
  start_measuring();
  if (options_.measure) (void)run(MeasureModel{});
}

void SessionImpl::take_kind(ModelTuningPart& part, DeviceKind const& kind) {
  show_model_tuning(part, [&](ModelTuningView& view) {
    view.kind = kind_text(kind.backend().target().hardware);
    view.machine = machine_words(kind.backend());
    view.elsewhere = view.kind != state_.kind;
    if (view.elsewhere) view.choices.clear();  // they are of the kind in use
    view.devices.clear();
    for (NamedDevice const& one : kind.devices)
      view.devices.push_back({.name = one.name, .machine = view.machine});
  });
}

Status SessionImpl::prepare_part(ModelTuningPart& part, DeviceKind const& kind) {
  TRY_ASSIGN(part.model, model_on(part.job.from, kind, part.job.stop));
  auto store = opened_trial_store(options_.trial_store);
  if (store) part.store = std::move(*store);
  if (!store)
    show_model_tuning(part,
                      [&](ModelTuningView& view) { view.not_stored = to_sentence(store.error()); });
  return {};
}

void SessionImpl::end_part(ModelTuningPart& part, FoundOnKind const& found) {
  Status taken;
  if (found.model) taken = take_tuned(part, *found.model);
  {
    std::lock_guard lock(mutex_);
    ModelTuningView& view = part.view;
    bool stopped = part.job.stop.stop_requested();
    if (found.model) {
      take_result_into(view, *found.model, *part.model);
      if (!found.model->not_stored.empty()) view.not_stored = found.model->not_stored;
      if (!taken) view.error = to_sentence(taken.error());
    } else {
      view.ended = stopped ? words_of(TuneEnd::kStopped) : "it failed";
      if (!stopped) view.error = to_sentence(*found.failure);
    }
    view.state = ModelTuningState::kEnded;
    view.elapsed = part.clock.elapsed();
    rest(view.devices);
    keep_runs(part, found.model ? &*found.model : nullptr);
    if (state_.model == part.job.from.model) place_view(part);
  }
  end_search();
  publish();
}

/// With the mutex held.
void SessionImpl::place_view(ModelTuningPart const& part) {
  auto view = std::make_shared<ModelTuningView const>(part.view);
  if (part.place == 0) {
    state_.model_tuning = std::move(view);
    return;
  }
  state_.tuned_beside.resize(std::max(state_.tuned_beside.size(), part.place), view);
  state_.tuned_beside[part.place - 1] = std::move(view);
}

/// Its trials can be looked at and opened, kernel by kernel. With the mutex held.
void SessionImpl::keep_runs(ModelTuningPart& part, TunedModel const* tuned) {
  if (state_.model != part.job.from.model || !part.model) return;
  for (TunedKernelRow& row : part.view.kernels) {
    int there = row_called(*part.model, row.kernel);
    TuningRun& run = part.runs[there];
    if (run.trials.empty() || row.row < 0) continue;
    run.number = run.group = row.run = ++tuner_.last_number;
    run.elsewhere = part.view.elsewhere;
    run.state = TuningState::kEnded;
    run.budget = int(run.trials.size());
    bool compared = false;
    if (tuned)
      for (TunedKernel const& kernel : tuned->kernels)
        if (kernel.kernel == there && kernel.result)
          take_result(*kernel.result, run), compared = true;
    if (!compared) offer_least(run);
    run.ended = "the tuning of the model is over";
    state_.runs.push_back(std::make_shared<TuningRun const>(run));
  }
}

/// What is found must be faster than where the kernels stand on that kind.
std::map<int, std::string> SessionImpl::standing_on(ModelTuningPart const& part) const {
  if (part.model == part.job.from.model) return part.job.standing;
  std::map<int, std::string> standing;
  std::lock_guard lock(mutex_);
  for (int row = 0; size_t(row) < part.model->plan.kernels.size(); ++row)
    if (auto const* kept = kept_for(state_, part.model->kernel(row), part.view.kind);
        kept && kept->at == KindSchedule::At::kScript)
      standing[row] = kept->script;
  return standing;
}

SearchOnKind SessionImpl::search_of(ModelTuningPart& part, DeviceKind const& kind) {
  ModelTuningJob const& job = part.job;
  SearchOnKind wanted{.kind = kind, .model = part.model, .request = {}};
  ModelTuneRequest& request = wanted.request;
  request.kernels = tune_request(kind, job.begun.search, job.wanted.seed, job.stop);
  request.kernels.store = part.store.get();
  request.kernels.options.trials = job.begun.budget;
  request.kernels.options.seconds = job.wanted.seconds;
  request.kernels.options.enough = job.enough;
  request.kernels.options.on_device = [this, &part](int device, DeviceShare const& share) {
    take_model_device(part, device, share);
  };
  request.cache_folder = options_.cache_folder;
  request.standing = standing_on(part);
  request.on_attempt = [this, &part](int kernel, Attempt const& attempt) {
    take_model_attempt(part, kernel, attempt);
  };
  request.on_surveyed = [this, &part](std::vector<TunedKernel> const& kernels) {
    show_model_tuning(part, [&](ModelTuningView& view) {
      for (TunedKernel const& one : kernels) {
        std::string const& name = part.model->kernel(one.kernel).name;
        view.kernels.push_back(row_of(one, name, *part.job.from.model));
        view.before_ms = view.before_ms.value_or(0) + one.rule_ms;
      }
    });
  };
  request.on_stage = [this, &part](ModelTuneStage stage, int kernel) {
    std::string name = kernel < 0 ? "" : part.model->kernel(kernel).name;
    show_model_tuning(part, [&](ModelTuningView& view) { begin_stage(view, stage, name); });
  };
  return wanted;
}

void SessionImpl::show_model_tuning(ModelTuningPart& part,
                                    std::function<void(ModelTuningView&)> const& change,
                                    bool shown) {
  {
    std::lock_guard lock(mutex_);
    change(part.view);
    part.view.elapsed = part.clock.elapsed();
    part.view.stopping = part.job.enough.stop_requested();
    if (!shown || state_.model != part.job.from.model) return;
    place_view(part);
  }
  publish_tuning();
}

/// On the thread of the search, which goes on when this returns.
void SessionImpl::take_model_attempt(ModelTuningPart& part, int kernel, Attempt const& attempt) {
  auto take = [&](ModelTuningView& view) {
    ++view.trials;
    TuningDevice& device = view.devices[size_t(attempt.device)];
    device.trials_a_second = part.clock.trials_a_second(++device.trials);
    if (TunedKernelRow* row = find_row(view, part.model->kernel(kernel).name))
      take_attempt_into(*row, attempt);
    TuningRun& run = run_of(part, kernel);
    ++run.devices[size_t(attempt.device)].trials;
    run.trials.push_back(std::make_shared<TuningTrial const>(trial_view(attempt)));
  };
  show_model_tuning(part, take, part.clock.should_show(attempt.number));
  auto waits_since = std::chrono::steady_clock::now();
  auto show = [&](bool paused) {
    show_model_tuning(part, [&](ModelTuningView& view) {
      view.state = paused ? ModelTuningState::kPaused : ModelTuningState::kSearching;
      if (paused) rest(view.devices);
    });
  };
  wait_while_paused(show, part.job.stop);
  wait_for_others(part.job.stop);
  part.clock.leave_out(std::chrono::steady_clock::now() - waits_since);
}

void SessionImpl::take_model_device(ModelTuningPart& part, int device, DeviceShare const& share) {
  auto take = [&](ModelTuningView& view) {
    TuningDevice& shown = view.devices[size_t(device)];
    TuningDevice next = device_view(share);
    next.name = shown.name;
    next.machine = shown.machine;
    next.trials = shown.trials;
    next.trials_a_second = shown.trials_a_second;
    shown = std::move(next);
  };
  show_model_tuning(part, take, part.clock.is_slow(part.view.trials));
}

/// What is faster in the network becomes the kernels' schedules, each a branch of its history; on
/// another kind than the one in use they are kept for it.
Status SessionImpl::take_tuned(ModelTuningPart& part, TunedModel const& tuned) {
  for (TunedKernel const& kernel : tuned.kernels) {
    auto script = tuned.scripts.find(kernel.kernel);
    if (script == tuned.scripts.end()) continue;
    std::lock_guard lock(mutex_);
    if (state_.model != part.job.from.model)
      return refused("model_changed",
                     "the model or the device was changed meanwhile: nothing was applied");
    double ms = kernel.result->seconds * 1e3;
    if (part.view.elsewhere)
      keep_tuned(part, kernel.kernel, script->second, ms);
    else
      TRY(apply_tuned(part, kernel.kernel, script->second, ms));
    ++part.view.changed;
  }
  return {};
}

/// With the mutex held, as what follows.
Status SessionImpl::apply_tuned(ModelTuningPart const& part, int kernel, std::string const& script,
                                double ms) {
  Model const& model = part.job.from.model;
  auto work = state_.kernels.find(kernel);
  if (work == state_.kernels.end()) {
    TRY_ASSIGN(KernelWork begun, begin_kernel(*model, kernel, *backend()));
    work = state_.kernels.emplace(kernel, std::move(begun)).first;
  }
  TRY_ASSIGN(History history,
             opened({script, "the tuning of the model", ms}, work->second.history));
  auto flops = double(model->kernel(kernel).flops);
  int leaf = history.current();
  history = history.with_measured(leaf, part.where, {.min_ms = ms, .gflops = flops / ms * 1e-6});
  work->second.history =
      history.with_correctness(leaf, part.where, Correctness::kCorrect, "checked by the tuning");
  return {};
}

void SessionImpl::keep_tuned(ModelTuningPart const& part, int kernel, std::string const& script,
                             double ms) {
  KernelTask const& task = part.model->kernel(kernel);
  std::string note =
      fmt::format("the tuning of the model on {}, {}", part.where.device, milliseconds_text(ms));
  keep_for_kind(state_, {.kernel = task.name,
                         .kind = part.view.kind,
                         .machine = part.view.machine,
                         .computes = computes_text(task),
                         .script = script,
                         .device = part.where.device,
                         .hardware = part.where.machine,
                         .ms = ms,
                         .note = std::move(note)});
}

}  // namespace tw::session
