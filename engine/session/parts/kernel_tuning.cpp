#include "engine/session/parts/kernel_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <sstream>

#include "engine/session/parts/parts.h"
#include "engine/session/state/kind_schedules.h"
#include "engine/session/state/known_devices.h"
#include "engine/session/state/opened_script.h"
#include "engine/session/state/tuning_clock.h"
#include "engine/session/views/tuning_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

std::vector<std::string> words_in(std::string const& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

TuningRun begun_run(Tune const& wanted, std::vector<std::string> const& devices,
                    std::string const& search, State const& state) {
  TuningRun run;
  run.row = state.kernel;
  run.kernel = state.model->kernel(state.kernel).name;
  run.search = search;
  run.device = devices.front();
  run.seed = wanted.seed;
  run.from = wanted.from;
  run.kept = words_in(wanted.keep);
  run.budget = wanted.trials;
  for (std::string const& name : devices) run.devices.push_back({.name = name});
  return run;
}

/// The run as its search on one kind begins.
TuningRun run_on(TuningRun run, DeviceKind const& kind) {
  run.kind = kind_text(kind.backend().target().hardware);
  run.machine = machine_words(kind.backend());
  run.device = kind.label();
  run.devices.clear();
  for (NamedDevice const& one : kind.devices)
    run.devices.push_back({.name = one.name, .machine = run.machine});
  return run;
}

/// What was found for another kind than the one in use, unless more was found there before.
void keep_found(State& state, TuningRun const& run, KernelTask const& task, TriedOn const& where) {
  if (run.best == 0) return;
  TuningTrial const& trial = *run.trial(run.best);
  double ms = run.best_ms.value_or(trial.ms);
  KindSchedule const* known = kept_for(state, task, run.kind);
  if (known && known->device == where.device && known->ms > 0 && known->ms <= ms) return;
  std::string note = fmt::format("trial {} of the {} search on {}, {}", trial.number, run.search,
                                 where.device, milliseconds_text(ms));
  keep_for_kind(state, {.kernel = task.name,
                        .kind = run.kind,
                        .machine = run.machine,
                        .computes = computes_text(task),
                        .script = trial.script,
                        .device = where.device,
                        .hardware = where.machine,
                        .ms = ms,
                        .note = std::move(note)});
}

void change(State& state, int number, std::function<void(TuningRun&)> const& change) {
  for (auto& run : state.runs) {
    if (run->number != number) continue;
    auto next = std::make_shared<TuningRun>(*run);
    change(*next);
    run = std::move(next);
  }
}

void end(TuningRun& run, FoundOnKind const& found, State const& state, bool stopped) {
  run.state = TuningState::kEnded;
  run.seconds_left.reset();
  rest(run.devices);
  if (found.kernel) {
    take_result(found.kernel->result, run);
    if (run.not_stored.empty()) run.not_stored = found.kernel->not_stored;
    return;
  }
  run.ended = stopped ? words_of(TuneEnd::kStopped) : "it failed";
  if (!stopped) run.error = to_sentence(*found.failure);
  offer_least(state, run);
}

}  // namespace

/// One kind's part; while it is searched for, only its thread uses it.
struct KernelTuning::OnKind {
  int number = 0;  ///< of its run
  TriedOn where;
  TuningClock clock;
  Model model = {};  ///< as it is planned for the kind
  int row = -1;      ///< of the kernel there
  std::unique_ptr<records::TrialStore> store = {};
  std::string not_stored = {};
};

Status KernelTuning::start(Tune const& wanted) {
  if (wanted.trials < 1 || wanted.seconds < 0 || wanted.seed < 1)
    return bad_input("bad_budget",
                     "a tuning takes at least one trial, a time that is not "
                     "negative and a seed of at least 1");
  TRY_ASSIGN(SearchRow search, search_called(wanted.search));
  StateCell::Pointer state = parts_.cell.read();
  TRY_ASSIGN(std::vector<std::string> devices, devices_named(wanted.on, *state, parts_.options));
  if (!state->has_kernel()) return bad_input("no_kernel", "no kernel is selected");
  Job job{.wanted = wanted, .devices = devices};
  TRY_ASSIGN(job.script, opened_script(&state->now().history, wanted.from));
  job.from = model_source(*state);
  job.begun = begun_run(wanted, devices, std::string(search.name), *state);
  if (!parts_.gate.begin(false))
    return bad_input("tuning_goes_on", "another tuning is still running; stop it first");
  job.begun.number = job.begun.group = parts_.gate.next_number();
  bool shown = parts_.cell.commit([&](State& now) {
    if (now.model != job.from.model) return false;
    now.runs.push_back(std::make_shared<TuningRun const>(job.begun));
    return true;
  });
  if (!shown) {
    parts_.gate.end();
    return refused("model_changed", "the model or the device was changed meanwhile");
  }
  parts_.queues.tune.start("tune", "tuning",
                           [this, job](StopToken stop, Progress const&) { run(job, stop); });
  return {};
}

void KernelTuning::run(Job const& job, StopToken stop) {
  parts_.queues.wait_until_rest(stop);
  auto kinds = open_kinds(job.devices, parts_.options, stop);
  if (kinds) {
    search_kinds(job, *kinds, stop);
  } else {
    OnKind none{job.begun.number, {}, TuningClock(0, 0)};
    end_run(none, {.failure = kinds.error()}, stop);
  }
  parts_.gate.end();
}

void KernelTuning::search_kinds(Job const& job, std::vector<DeviceKind> const& kinds,
                                StopToken stop) {
  parts_.gate.begin_searches(kinds.size());
  std::vector<OnKind> all;
  for (DeviceKind const& kind : kinds)
    all.push_back({begin_run(job, kind, all.empty()),
                   tried_on(kind.label(), kind.backend(), parts_.options.threads),
                   TuningClock(job.wanted.trials, job.wanted.seconds)});
  parts_.showing.publish_tuning();
  std::vector<SearchOnKind> searches;
  std::vector<OnKind*> those;
  for (size_t i = 0; i < kinds.size(); ++i) {
    auto search = search_of(job, kinds[i], all[i], stop);
    if (!search) {
      end_run(all[i], {.failure = search.error()}, stop);
      continue;
    }
    searches.push_back(std::move(*search));
    those.push_back(&all[i]);
  }
  for (OnKind* on : those) on->clock.begin();
  search_on_kinds(std::move(searches), [&](size_t which, FoundOnKind const& found) {
    end_run(*those[which], found, stop);
  });
}

int KernelTuning::begin_run(Job const& job, DeviceKind const& kind, bool first) {
  TuningRun run = run_on(job.begun, kind);
  if (!first) run.number = parts_.gate.next_number();
  bool shown = parts_.cell.commit([&](State& now) {
    auto place = std::ranges::find_if(
        now.runs, [&](auto const& one) { return one->number == job.begun.number; });
    if (place == now.runs.end()) return false;
    run.elsewhere = run.kind != now.kind;
    auto made = std::make_shared<TuningRun const>(run);
    if (first)
      *place = made;
    else
      now.runs.push_back(made);
    return true;
  });
  return shown ? run.number : 0;
}

Result<SearchOnKind> KernelTuning::search_of(Job const& job, DeviceKind const& kind, OnKind& on,
                                             StopToken stop) {
  TRY_ASSIGN(on.model, model_on(job.from, kind, stop));
  TRY_ASSIGN(on.row, find_kernel(*on.model, job.begun.kernel));
  auto store = opened_trial_store(parts_.options.trial_store);
  if (store) on.store = std::move(*store);
  if (!store) on.not_stored = to_sentence(store.error());
  SearchOnKind wanted{kind, on.model, on.row, {}};
  TuneRequest& request = wanted.request.kernels;
  request = tune_request(kind, job.begun.search, job.begun.seed, *parts_.cell.read(),
                         parts_.options, stop);
  request.store = on.store.get();
  request.options.trials = job.wanted.trials;
  request.options.seconds = job.wanted.seconds;
  request.kept = job.begun.kept;
  request.script = job.script;
  request.options.on_attempt = [this, &on, stop](Attempt const& attempt) {
    take_attempt(on, attempt, stop);
  };
  request.options.on_device = [this, &on](int device, DeviceShare const& share) {
    take_device(on, device, share);
  };
  return wanted;
}

void KernelTuning::end_run(OnKind const& of, FoundOnKind const& found, StopToken stop) {
  parts_.cell.commit([&](State& now) {
    std::optional<TuningRun> found_elsewhere;
    change(now, of.number, [&](TuningRun& run) {
      run.not_stored = of.not_stored;
      end(run, found, now, stop.stop_requested());
      if (run.elsewhere && of.model) found_elsewhere = run;
    });
    if (found_elsewhere) keep_found(now, *found_elsewhere, of.model->kernel(of.row), of.where);
  });
  parts_.gate.end_search();
  parts_.showing.publish_tuning();  // before anybody who waits goes on
}

void KernelTuning::change_run(int number, std::function<void(TuningRun&)> const& how) {
  parts_.cell.commit([&](State& now) { change(now, number, how); });
}

void KernelTuning::take_device(OnKind const& on, int device, DeviceShare const& share) {
  change_run(on.number, [&](TuningRun& run) {
    if (run.devices.size() <= size_t(device)) run.devices.resize(size_t(device) + 1);
    TuningDevice& shown = run.devices[size_t(device)];
    std::string machine = std::move(shown.machine);
    shown = device_view(share);
    shown.machine = std::move(machine);
    if (share.trials > 0) shown.trials_a_second = on.clock.trials_a_second(share.trials);
  });
  if (on.clock.is_slow(share.trials)) parts_.showing.publish_tuning();
}

void KernelTuning::take_attempt(OnKind& on, Attempt const& attempt, StopToken stop) {
  change_run(on.number, [&](TuningRun& run) {
    run.trials.push_back(std::make_shared<TuningTrial const>(trial_view(attempt)));
    run.trials_a_second = on.clock.trials_a_second(attempt.number);
    run.seconds_left = on.clock.seconds_left(attempt.number);
    bool last = attempt.number >= run.budget || on.clock.is_over();
    if (run.state == TuningState::kPreparing) run.state = TuningState::kRunning;
    if (last) run.state = TuningState::kComparing;
  });
  if (on.clock.should_show(attempt.number)) parts_.showing.publish_tuning();
  pause_between_trials(on, stop);
}

/// The search goes on when this returns: so it is paused.
void KernelTuning::pause_between_trials(OnKind& on, StopToken stop) {
  auto since = std::chrono::steady_clock::now();
  auto show = [&](bool paused) {
    change_run(on.number, [&](TuningRun& run) {
      run.state = paused ? TuningState::kPaused : TuningState::kRunning;
      if (paused) rest(run.devices);
    });
    parts_.showing.publish_tuning();
  };
  parts_.gate.wait_while_paused(show, stop);
  parts_.queues.wait_until_rest(stop);
  on.clock.leave_out(std::chrono::steady_clock::now() - since);
}

}  // namespace tw::session
