#include "engine/session/parts/model_tuning.h"

#include <algorithm>
#include <chrono>

#include "engine/session/parts/model_tuning_job.h"
#include "engine/session/parts/parts.h"
#include "engine/session/state/kind_schedules.h"
#include "engine/session/state/known_devices.h"
#include "engine/session/views/tuning_views.h"

namespace tw::session {
namespace {

constexpr int kTrialsOfEachKernel = 32;  // where nobody says how many, or for how long

TunedKernelRow row_of(TunedKernel const& kernel, std::string const& name, LoadedModel const& open) {
  TunedKernelRow row;
  row.row = row_called(open, name);
  row.kernel = name;
  row.calls = kernel.calls;
  row.before_ms = kernel.rule_ms;
  return row;
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

ModelTuningView begun_view(TuneModel const& wanted, std::vector<std::string> const& devices,
                           std::string const& search, State const& state) {
  ModelTuningView view;
  view.search = search;
  view.seconds = wanted.seconds;
  view.budget = wanted.trials > 0    ? wanted.trials
                : wanted.seconds > 0 ? 0
                                     : kTrialsOfEachKernel * int(state.table->rows.size());
  for (std::string const& name : devices) view.devices.push_back({.name = name});
  return view;
}

Status check_model(State const& state) {
  if (!state.model) return bad_input("no_model", "no model is open");
  if (state.model->is_expression)
    return bad_input("no_network", "this is a single kernel: tune the kernel");
  if (state.cut_shown)
    return bad_input("model_is_cut", "the model runs on several devices: run it on one to tune it");
  return {};
}

/// What is found must be faster than where the kernels stand on that kind.
std::map<int, std::string> standing_on(LoadedModel const& model, std::string const& kind,
                                       State const& state) {
  std::map<int, std::string> standing;
  for (int row = 0; size_t(row) < model.plan.kernels.size(); ++row)
    if (auto const* kept = kept_for(state, model.kernel(row), kind);
        kept && kept->at == KindSchedule::At::kScript)
      standing[row] = kept->script;
  return standing;
}

void take_kind(ModelTuningView& view, DeviceKind const& kind, std::string const& in_use) {
  view.kind = kind_text(kind.backend().target().hardware);
  view.machine = machine_words(kind.backend());
  view.elsewhere = view.kind != in_use;
  if (view.elsewhere) view.choices.clear();  // they are of the kind in use
  view.devices.clear();
  for (NamedDevice const& one : kind.devices)
    view.devices.push_back({.name = one.name, .machine = view.machine});
}

}  // namespace

Status ModelTuning::start(TuneModel const& wanted) {
  if (wanted.trials < 0 || wanted.seconds < 0 || wanted.seed < 1)
    return bad_input("bad_budget",
                     "a tuning takes a number of trials and a time that are not negative, and a "
                     "seed of at least 1");
  TRY_ASSIGN(SearchRow search, search_called(wanted.search));
  StateCell::Pointer state = parts_.cell.read();
  TRY_ASSIGN(std::vector<std::string> devices, devices_named(wanted.on, *state, parts_.options));
  TRY(check_model(*state));
  if (!parts_.gate.begin(true))
    return bad_input("tuning_goes_on", "another tuning is still running; stop it first");
  auto job = std::make_shared<Job>(Job{.wanted = wanted, .devices = devices});
  job->from = model_source(*state);
  job->standing = shaped_scripts(*state);
  job->begun = begun_view(wanted, devices, std::string(search.name), *state);
  job->enough = parts_.gate.enough();
  parts_.cell.commit([&](State& now) {
    now.model_tuning = std::make_shared<ModelTuningView const>(job->begun);
    now.tuned_beside.clear();
  });
  parts_.queues.tune.start("tune", "tuning the model",
                           [this, job](StopToken stop, Progress const&) {
                             job->stop = stop;
                             run(*job);
                           });
  return {};
}

void ModelTuning::run(Job& job) {
  parts_.queues.wait_until_rest(job.stop);
  auto kinds = open_kinds(job.devices, parts_.options, job.stop);
  Status arranged = kinds ? arrange_first(job, *kinds) : std::unexpected(kinds.error());
  if (arranged) {
    search_kinds(job, *kinds);
  } else {
    OnKind none{.job = job, .clock = TuningClock(0, 0), .view = job.begun};
    end(none, {.failure = arranged.error()});
  }
  parts_.gate.end();
}

void ModelTuning::search_kinds(Job& job, std::vector<DeviceKind> const& kinds) {
  parts_.gate.begin_searches(kinds.size());
  std::vector<std::unique_ptr<OnKind>> all;
  for (DeviceKind const& kind : kinds) {
    all.push_back(std::make_unique<OnKind>(
        OnKind{.job = job,
               .place = all.size(),
               .where = tried_on(kind.label(), kind.backend(), parts_.options.threads),
               .clock = TuningClock(job.wanted.trials, job.wanted.seconds),
               .view = job.begun}));
    std::string in_use = parts_.cell.read()->kind;
    show(*all.back(), [&](ModelTuningView& view) { take_kind(view, kind, in_use); });
  }
  std::vector<SearchOnKind> searches;
  std::vector<OnKind*> those;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (Status ready = prepare(*all[i], kinds[i]); !ready) {
      end(*all[i], {.failure = ready.error()});
      continue;
    }
    searches.push_back(search_of(*all[i], kinds[i]));
    those.push_back(all[i].get());
  }
  for (OnKind* on : those) on->clock.begin();
  search_on_kinds(std::move(searches),
                  [&](size_t which, FoundOnKind const& found) { end(*those[which], found); });
  bool changed = job.rearranged || std::ranges::any_of(all, [](auto const& on) {
                   return !on->view.elsewhere && on->view.changed > 0;
                 });
  if (!changed) return;
  parts_.modelling.start();
  parts_.measuring.start();
  if (parts_.options.measure) (void)parts_.measuring.start_model();
}

Status ModelTuning::prepare(OnKind& on, DeviceKind const& kind) {
  TRY_ASSIGN(on.model, model_on(on.job.from, kind, on.job.stop));
  auto store = opened_trial_store(parts_.options.trial_store);
  if (store) on.store = std::move(*store);
  if (!store)
    show(on, [&](ModelTuningView& view) { view.not_stored = to_sentence(store.error()); });
  return {};
}

void ModelTuning::end(OnKind& on, FoundOnKind const& found) {
  Status taken;
  if (found.model) taken = take_tuned(on, *found.model);
  parts_.cell.commit([&](State& now) {
    end_view(on, found, taken);
    keep_runs(now, on, found.model ? &*found.model : nullptr);
    if (now.model == on.job.from.model) place_view(now, on);
  });
  parts_.gate.end_search();
  parts_.showing.publish();
}

SearchOnKind ModelTuning::search_of(OnKind& on, DeviceKind const& kind) {
  Job const& job = on.job;
  StateCell::Pointer state = parts_.cell.read();
  SearchOnKind wanted{.kind = kind, .model = on.model, .request = {}};
  ModelTuneRequest& request = wanted.request;
  request.kernels =
      tune_request(kind, job.begun.search, job.wanted.seed, *state, parts_.options, job.stop);
  request.kernels.store = on.store.get();
  request.kernels.options.trials = job.begun.budget;
  request.kernels.options.seconds = job.wanted.seconds;
  request.kernels.options.enough = job.enough;
  request.kernels.options.on_device = [this, &on](int device, DeviceShare const& share) {
    take_device(on, device, share);
  };
  request.cache_folder = parts_.options.cache_folder;
  request.standing =
      on.model == job.from.model ? job.standing : standing_on(*on.model, on.view.kind, *state);
  request.on_attempt = [this, &on](int kernel, Attempt const& attempt) {
    take_attempt(on, kernel, attempt);
  };
  request.on_surveyed = [this, &on](std::vector<TunedKernel> const& kernels) {
    show(on, [&](ModelTuningView& view) {
      for (TunedKernel const& one : kernels) {
        std::string const& name = on.model->kernel(one.kernel).name;
        view.kernels.push_back(row_of(one, name, *on.job.from.model));
        view.before_ms = view.before_ms.value_or(0) + one.rule_ms;
      }
    });
  };
  request.on_stage = [this, &on](ModelTuneStage stage, int kernel) {
    std::string name = kernel < 0 ? "" : on.model->kernel(kernel).name;
    show(on, [&](ModelTuningView& view) { begin_stage(view, stage, name); });
  };
  return wanted;
}

void ModelTuning::show(OnKind& on, Change const& change, bool shown) {
  shown = parts_.cell.commit([&](State& now) {
    change(on.view);
    on.view.elapsed = on.clock.elapsed();
    on.view.stopping = on.job.enough.stop_requested();
    if (!shown || now.model != on.job.from.model) return false;
    place_view(now, on);
    return true;
  });
  if (shown) parts_.showing.publish_tuning();
}

void ModelTuning::take_attempt(OnKind& on, int kernel, Attempt const& attempt) {
  auto take = [&](ModelTuningView& view) {
    ++view.trials;
    TuningDevice& device = view.devices[size_t(attempt.device)];
    device.trials_a_second = on.clock.trials_a_second(++device.trials);
    if (TunedKernelRow* row = find_row(view, on.model->kernel(kernel).name))
      take_attempt_into(*row, attempt);
    TuningRun& run = run_of(on, kernel);
    ++run.devices[size_t(attempt.device)].trials;
    run.trials.push_back(std::make_shared<TuningTrial const>(trial_view(attempt)));
  };
  show(on, take, on.clock.should_show(attempt.number));
  pause_between_trials(on);
}

/// The search goes on when this returns.
void ModelTuning::pause_between_trials(OnKind& on) {
  auto since = std::chrono::steady_clock::now();
  auto show_it = [&](bool paused) {
    show(on, [&](ModelTuningView& view) {
      view.state = paused ? ModelTuningState::kPaused : ModelTuningState::kSearching;
      if (paused) rest(view.devices);
    });
  };
  parts_.gate.wait_while_paused(show_it, on.job.stop);
  parts_.queues.wait_until_rest(on.job.stop);
  on.clock.leave_out(std::chrono::steady_clock::now() - since);
}

void ModelTuning::take_device(OnKind& on, int device, DeviceShare const& share) {
  auto take = [&](ModelTuningView& view) {
    TuningDevice& shown = view.devices[size_t(device)];
    TuningDevice next = device_view(share);
    next.name = shown.name;
    next.machine = shown.machine;
    next.trials = shown.trials;
    next.trials_a_second = shown.trials_a_second;
    shown = std::move(next);
  };
  show(on, take, on.clock.is_slow(on.view.trials));
}

/// What is faster in the network becomes the kernels' schedules, each a branch of its history; on
/// another kind than the one in use they are kept for it.
Status ModelTuning::take_tuned(OnKind& on, TunedModel const& tuned) {
  for (TunedKernel const& kernel : tuned.kernels) {
    auto script = tuned.scripts.find(kernel.kernel);
    if (script == tuned.scripts.end()) continue;
    Status taken = parts_.cell.commit([&](State& now) -> Status {
      if (now.model != on.job.from.model)
        return refused("model_changed",
                       "the model or the device was changed meanwhile: nothing was applied");
      double ms = kernel.result->seconds * 1e3;
      if (on.view.elsewhere)
        keep_tuned(now, on, kernel.kernel, script->second, ms);
      else
        TRY(apply_tuned(now, on, kernel.kernel, script->second, ms));
      ++on.view.changed;
      return {};
    });
    TRY(taken);
  }
  return {};
}

}  // namespace tw::session
