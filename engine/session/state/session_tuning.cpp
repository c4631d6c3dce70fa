// Tuning, as a job of its own kind that goes on while the person edits.
//
// It has a connection to the device of its own, and so a process of its own on this machine. Both
// would disturb each other's times: between two trials the tuner waits until nothing else is
// measured, and what was measured beside a trial is measured again when the machine is quiet.
#include <fmt/format.h>

#include <chrono>
#include <iterator>
#include <sstream>

#include "engine/session/state/kind_schedules.h"
#include "engine/session/state/opened_script.h"
#include "engine/session/state/session_impl.h"
#include "engine/session/state/tuning_clock.h"
#include "engine/session/use_cases.h"
#include "engine/session/views/tuning_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

constexpr auto kLook = std::chrono::milliseconds(5);  // while another job measures

std::vector<std::string> words_in(std::string const& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace

Result<std::unique_ptr<records::TrialStore>> opened_trial_store(std::filesystem::path const& file) {
  if (file.empty()) return nullptr;
  return records::open_store(file, {.durability = Durability::kFast});
}

std::vector<std::string> SessionImpl::searches() const {
  std::vector<std::string> names;
  for (SearchRow const& row : tw::searches()) names.emplace_back(row.name);
  return names;
}

std::shared_ptr<TuningView const> SessionImpl::tuning_view() const {
  std::vector<KeptSchedule> kept = kept_elsewhere(state_);
  if (state_.runs.empty() && !state_.model_tuning && !state_.ablation && kept.empty())
    return nullptr;
  return std::make_shared<TuningView const>(TuningView{
      state_.runs, state_.model_tuning, state_.ablation, state_.tuned_beside, std::move(kept)});
}

/// Only what is new of the tuning: a trial comes many times a second.
void SessionImpl::publish_tuning() {
  {
    std::lock_guard lock(mutex_);
    published_.version = ++state_.version;
    published_.tuning = tuning_view();
  }
  notify();
}

void SessionImpl::change_run(int number, std::function<void(TuningRun&)> const& change) {
  std::lock_guard lock(mutex_);
  for (auto& run : state_.runs) {
    if (run->number != number) continue;
    auto next = std::make_shared<TuningRun>(*run);
    change(*next);
    run = std::move(next);
  }
}

Status SessionImpl::run(Tune const& c) {
  if (c.trials < 1 || c.seconds < 0 || c.seed < 1)
    return bad_input("bad_budget",
                     "a tuning takes at least one trial, a time that is not "
                     "negative and a seed of at least 1");
  TRY_ASSIGN(SearchRow search,
             c.search.empty() ? Result<SearchRow>(tw::searches().front()) : find_search(c.search));
  TRY_ASSIGN(std::vector<std::string> devices, devices_named(c.on));
  TuneJob job{.wanted = c, .devices = devices};
  TuningRun& run = job.begun;
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    if (tuner_.runs)
      return bad_input("tuning_goes_on", "another tuning is still running; stop it first");
    TRY_ASSIGN(job.script, opened_script(&state_.now().history, c.from));
    job.from = model_source();
    run.number = run.group = ++tuner_.last_number;
    run.row = state_.kernel;
    run.kernel = state_.model->kernel(state_.kernel).name;
    run.search = search.name;
    run.device = devices.front();
    run.seed = c.seed;
    run.from = c.from;
    run.kept = words_in(c.keep);
    run.budget = c.trials;
    for (std::string const& name : devices) run.devices.push_back({.name = name});
    state_.runs.push_back(std::make_shared<TuningRun const>(run));
    tuner_ = Tuner{.runs = true, .last_number = run.number};
  }
  tune_jobs_.start("tune", "tuning",
                   [this, job](StopToken stop, Progress const&) { tune_job(job, stop); });
  return {};
}

/// One kind's part; while it is searched for, only its thread uses it.
struct SessionImpl::KindRun {
  int number = 0;
  TriedOn where;
  TuningClock clock;
  Model model = {};  ///< as it is planned for the kind
  int row = -1;      ///< of the kernel there
  std::unique_ptr<records::TrialStore> store = {};
  std::string not_stored = {};
};

void SessionImpl::tune_job(TuneJob const& job, StopToken stop) {
  wait_for_others(stop);
  auto kinds = open_kinds(job.devices, stop);
  if (kinds) {
    tune_on(job, *kinds, stop);
  } else {
    KindRun none{job.begun.number, {}, TuningClock(0, 0)};
    end_run(none, {.failure = kinds.error()}, stop);
  }
  tuner_is_done();
}

void SessionImpl::tune_on(TuneJob const& job, std::vector<DeviceKind> const& kinds,
                          StopToken stop) {
  begin_searches(kinds.size());
  std::vector<KindRun> runs;
  for (DeviceKind const& kind : kinds)
    runs.push_back({begin_run(job, kind, runs.empty()), tried_on(kind),
                    TuningClock(job.wanted.trials, job.wanted.seconds)});
  publish_tuning();
  std::vector<SearchOnKind> searches;
  std::vector<KindRun*> those;
  for (size_t i = 0; i < kinds.size(); ++i) {
    auto wanted = kernel_search(job, kinds[i], runs[i], stop);
    if (!wanted) {
      end_run(runs[i], {.failure = wanted.error()}, stop);
      continue;
    }
    searches.push_back(std::move(*wanted));
    those.push_back(&runs[i]);
  }
  for (KindRun* run : those) run->clock.begin();
  search_on_kinds(std::move(searches), [&](size_t which, FoundOnKind const& found) {
    end_run(*those[which], found, stop);
  });
}

/// Its number; 0: what was begun is no longer shown.
int SessionImpl::begin_run(TuneJob const& job, DeviceKind const& kind, bool first) {
  TuningRun run = job.begun;
  Hardware const hardware = kind.backend().target().hardware;
  run.kind = kind_text(hardware);
  run.machine = machine_words(kind.backend());
  run.device = kind.label();
  run.devices.clear();
  for (NamedDevice const& one : kind.devices)
    run.devices.push_back({.name = one.name, .machine = run.machine});
  std::lock_guard lock(mutex_);
  auto shown = std::ranges::find_if(
      state_.runs, [&](auto const& one) { return one->number == job.begun.number; });
  if (shown == state_.runs.end()) return 0;
  run.elsewhere = run.kind != state_.kind;
  if (!first) run.number = ++tuner_.last_number;
  auto made = std::make_shared<TuningRun const>(std::move(run));
  if (first)
    *shown = made;
  else
    state_.runs.push_back(made);
  return made->number;
}

Result<SearchOnKind> SessionImpl::kernel_search(TuneJob const& job, DeviceKind const& kind,
                                                KindRun& run, StopToken stop) {
  TuningRun const& begun = job.begun;
  TRY_ASSIGN(run.model, model_on(job.from, kind, stop));
  TRY_ASSIGN(run.row, find_kernel(*run.model, begun.kernel));
  auto store = opened_trial_store(options_.trial_store);
  if (store) run.store = std::move(*store);
  if (!store) run.not_stored = to_sentence(store.error());
  SearchOnKind wanted{kind, run.model, run.row, {}};
  TuneRequest& request = wanted.request.kernels;
  request = tune_request(kind, begun.search, begun.seed, stop);
  request.store = run.store.get();
  request.options.trials = job.wanted.trials;
  request.options.seconds = job.wanted.seconds;
  request.kept = begun.kept;
  request.script = job.script;
  request.options.on_attempt = [this, &run, stop](Attempt const& attempt) {
    take_attempt(run.number, attempt, run.clock, stop);
  };
  request.options.on_device = [this, &run](int device, DeviceShare const& share) {
    take_device(run.number, device, share, run.clock);
  };
  return wanted;
}

void SessionImpl::end_run(KindRun const& of, FoundOnKind const& found, StopToken stop) {
  change_run(of.number, [&](TuningRun& run) {
    run.state = TuningState::kEnded;
    run.seconds_left.reset();
    rest(run.devices);
    run.not_stored = of.not_stored;
    if (found.kernel) {
      take_result(found.kernel->result, run);
      if (run.not_stored.empty()) run.not_stored = found.kernel->not_stored;
    } else {
      bool stopped = stop.stop_requested();
      run.ended = stopped ? words_of(TuneEnd::kStopped) : "it failed";
      if (!stopped) run.error = to_sentence(*found.failure);
      offer_least(run);
    }
    if (run.elsewhere) keep_found(run, of);
  });
  end_search();
  publish_tuning();  // before anybody who waits goes on
}

/// With the mutex held: what was found for another kind than the one in use, unless more was found
/// there before.
void SessionImpl::keep_found(TuningRun const& run, KindRun const& of) {
  if (run.best == 0 || !of.model) return;
  TriedOn const& where = of.where;
  KernelTask const& task = of.model->kernel(of.row);
  TuningTrial const& trial = *run.trial(run.best);
  double ms = run.best_ms.value_or(trial.ms);
  KindSchedule const* known = kept_for(state_, task, run.kind);
  if (known && known->device == where.device && known->ms > 0 && known->ms <= ms) return;
  std::string note = fmt::format("trial {} of the {} search on {}, {}", trial.number, run.search,
                                 where.device, milliseconds_text(ms));
  keep_for_kind(state_, {.kernel = task.name,
                         .kind = run.kind,
                         .machine = run.machine,
                         .computes = computes_text(task),
                         .script = trial.script,
                         .device = where.device,
                         .hardware = where.machine,
                         .ms = ms,
                         .note = std::move(note)});
}

void SessionImpl::begin_searches(size_t count) {
  std::lock_guard lock(mutex_);
  tuner_.searching = int(count);
}

/// Who waits for a pause waits for the others alone.
void SessionImpl::end_search() {
  {
    std::lock_guard lock(mutex_);
    --tuner_.searching;
  }
  tuner_changed_.notify_all();
}

void SessionImpl::tuner_is_done() {
  {
    std::lock_guard lock(mutex_);
    tuner_.runs = false;
    tuner_.waiting = 0;
  }
  tuner_changed_.notify_all();
}

void SessionImpl::take_device(int number, int device, DeviceShare const& share,
                              TuningClock const& clock) {
  change_run(number, [&](TuningRun& run) {
    if (run.devices.size() <= size_t(device)) run.devices.resize(size_t(device) + 1);
    TuningDevice& shown = run.devices[size_t(device)];
    std::string machine = std::move(shown.machine);
    shown = device_view(share);
    shown.machine = std::move(machine);
    if (share.trials > 0) shown.trials_a_second = clock.trials_a_second(share.trials);
  });
  if (clock.is_slow(share.trials)) publish_tuning();
}

/// On the tuner's thread, which goes on when this returns: so it is paused.
void SessionImpl::take_attempt(int number, Attempt const& attempt, TuningClock& clock,
                               StopToken stop) {
  change_run(number, [&](TuningRun& run) {
    run.trials.push_back(std::make_shared<TuningTrial const>(trial_view(attempt)));
    run.trials_a_second = clock.trials_a_second(attempt.number);
    run.seconds_left = clock.seconds_left(attempt.number);
    bool last = attempt.number >= run.budget || clock.is_over();
    if (run.state == TuningState::kPreparing) run.state = TuningState::kRunning;
    if (last) run.state = TuningState::kComparing;
  });
  if (clock.should_show(attempt.number)) publish_tuning();
  auto waits_since = std::chrono::steady_clock::now();
  auto show = [&](bool paused) {
    change_run(number, [&](TuningRun& run) {
      run.state = paused ? TuningState::kPaused : TuningState::kRunning;
      if (paused) rest(run.devices);
    });
    publish_tuning();
  };
  wait_while_paused(show, stop);
  wait_for_others(stop);
  clock.leave_out(std::chrono::steady_clock::now() - waits_since);
}

void SessionImpl::wait_while_paused(std::function<void(bool paused)> const& show, StopToken stop) {
  {
    std::unique_lock lock(mutex_);
    if (!tuner_.pause_wanted) return;
    ++tuner_.waiting;
  }
  show(true);
  tuner_changed_.notify_all();
  {
    std::unique_lock lock(mutex_);
    tuner_changed_.wait(lock, stop, [this] { return !tuner_.pause_wanted; });
    --tuner_.waiting;
  }
  show(false);
}

void SessionImpl::wait_for_others(StopToken stop) {
  while (!stop.stop_requested() && !(jobs_.idle() && errands_.idle()))
    std::this_thread::sleep_for(kLook);
}

bool SessionImpl::tuner_rests(double seconds) {
  std::unique_lock lock(mutex_);
  return tuner_changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] {
    bool rest = tuner_.pause_wanted && tuner_.waiting > 0 && tuner_.waiting == tuner_.searching;
    return !tuner_.runs || rest;
  });
}

/// With the mutex held: what was begun may have ended meanwhile, and then there is nothing to do.
Status SessionImpl::check_tuned() const {
  if (state_.runs.empty() && !state_.model_tuning)
    return bad_input("no_tuning", "nothing has been tuned yet");
  return {};
}

Status SessionImpl::run(PauseTuning const&) {
  std::lock_guard lock(mutex_);
  TRY(check_tuned());
  if (tuner_.runs) tuner_.pause_wanted = true;
  return {};
}

Status SessionImpl::run(ResumeTuning const&) {
  std::lock_guard lock(mutex_);
  TRY(check_tuned());
  tuner_.pause_wanted = false;
  tuner_changed_.notify_all();
  return {};
}

Status SessionImpl::run(StopTuning const&) {
  std::lock_guard lock(mutex_);
  TRY(check_tuned());
  if (!tuner_.of_model || tuner_.enough.stop_requested()) return stop_tuning(), Status();
  tuner_.enough.request_stop();
  tuner_.pause_wanted = false;
  tuner_changed_.notify_all();
  return {};
}

/// From now on it is no pause that one waits for, but the end.
void SessionImpl::stop_tuning() {
  tuner_.pause_wanted = false;
  tune_jobs_.cancel_all();
}

Status SessionImpl::run(ClearTuning const&) {
  std::lock_guard lock(mutex_);
  std::erase_if(state_.runs, [](auto const& run) { return !run->goes_on(); });
  bool goes_on = tuner_.runs && tuner_.of_model;
  if (!goes_on) state_.model_tuning = nullptr, state_.tuned_beside.clear();
  if (state_.ablation && !state_.ablation->goes_on) state_.ablation = nullptr;
  return {};
}

/// The shortest of a search that was stopped, if that is shorter than the schedule by rule: as a
/// trial, else as it was measured in the history.
void SessionImpl::offer_least(TuningRun& run) const {
  auto work = state_.kernels.find(run.row);
  if (work == state_.kernels.end() || run.least_ms() <= 0) return;
  if (int rule = work->second.default_node; rule >= 0 && !run.elsewhere)
    if (auto const& known = work->second.history.node(rule).on(state_.here).measured)
      run.default_ms = known->min_ms;
  for (auto const& trial : run.trials)
    if (run.from == 0 && trial->knobs.empty() && trial->ms > 0) run.default_ms = trial->ms;
  auto to_beat = run.from_ms() > 0 ? std::optional(run.from_ms()) : run.default_ms;
  for (auto const& trial : run.trials)
    if (trial->ms == run.least_ms() && (!to_beat || trial->ms < *to_beat)) run.best = trial->number;
}

}  // namespace tw::session
