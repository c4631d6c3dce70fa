// Tuning, as a job of its own kind that goes on while the person edits.
//
// It has a connection to the device of its own, and so a process of its own on this machine. Both
// would disturb each other's times: between two trials the tuner waits until nothing else is
// measured, and what was measured beside a trial is measured again when the machine is quiet.
#include <fmt/format.h>

#include <chrono>

#include "engine/session/state/session_impl.h"
#include "engine/session/state/tuning_clock.h"
#include "engine/session/use_cases.h"
#include "engine/session/views/tuning_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

constexpr auto kLook = std::chrono::milliseconds(5);  // while another job measures

/// Null where nothing is to be kept.
Result<std::unique_ptr<records::TrialStore>> opened_store(std::filesystem::path const& file) {
  if (file.empty()) return nullptr;
  return records::open_store(file, {.durability = Durability::kFast});
}

}  // namespace

std::vector<std::string> SessionImpl::searches() const {
  std::vector<std::string> names;
  for (SearchRow const& row : tw::searches()) names.emplace_back(row.name);
  return names;
}

std::shared_ptr<TuningView const> SessionImpl::tuning_view() const {
  if (state_.runs.empty()) return nullptr;
  return std::make_shared<TuningView const>(TuningView{state_.runs});
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
  std::shared_ptr<TuningRun> run = std::make_shared<TuningRun>();
  Model model;
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    if (tuner_.runs)
      return bad_input("tuning_goes_on", "another tuning is not at its end; stop it first");
    model = state_.model;
    run->number = ++tuner_.last_number;
    run->row = state_.kernel;
    run->kernel = model->kernel(state_.kernel).name;
    run->search = search.name;
    run->device = state_.here.device;
    run->seed = c.seed;
    run->budget = c.trials;
    state_.runs.push_back(run);
    tuner_ = {.runs = true, .pause_wanted = false, .waits = false, .last_number = run->number};
  }
  tune_jobs_.start("tune", "tuning", [this, model, run, c](StopToken stop, Progress const&) {
    tune_job(model, *run, c, stop);
  });
  return {};
}

void SessionImpl::tune_job(Model const& model, TuningRun const& begun, Tune const& wanted,
                           StopToken stop) {
  wait_for_others(stop);
  TuningClock clock(wanted.trials, wanted.seconds);
  auto tuned = tuned_kernel(model, begun, wanted, clock, stop);
  change_run(begun.number, [&](TuningRun& run) {
    run.state = TuningState::kEnded;
    run.seconds_left.reset();
    if (tuned) {
      take_result(*tuned, run);
    } else if (stop.stop_requested()) {
      run.ended = words_of(TuneEnd::kStopped);
      offer_least(run);
    } else {
      run.ended = "it failed";
      run.error = to_sentence(tuned.error());
    }
  });
  publish_tuning();  // before anybody who waits goes on
  {
    std::lock_guard lock(mutex_);
    tuner_.runs = tuner_.waits = false;
  }
  tuner_changed_.notify_all();
}

/// What the search's model of time needs; null: the device's roofs were not measured.
std::shared_ptr<Roofs const> SessionImpl::roofs_of(std::string const& device) const {
  std::lock_guard lock(mutex_);
  bool known = state_.machine && state_.here.device == device;
  return known ? state_.machine->rates : nullptr;
}

Result<TuneResult> SessionImpl::tuned_kernel(Model const& model, TuningRun const& begun,
                                             Tune const& wanted, TuningClock& clock,
                                             StopToken stop) {
  TRY_ASSIGN(ChosenDevice chosen, open_device(begun.device, stop));
  auto store = opened_store(options_.trial_store);
  TuneRequest request;
  if (store) request.store = store->get();
  request.roofs = roofs_of(begun.device);
  request.device = begun.device;
  request.build = options_.build;
  request.options.trials = wanted.trials;
  request.options.seconds = wanted.seconds;
  request.options.seed = uint64_t(wanted.seed);
  request.options.threads = options_.threads;
  request.options.search = begun.search;
  request.options.stop = stop;
  request.options.on_attempt = [&](Attempt const& attempt) {
    take_attempt(begun.number, attempt, clock, stop);
  };
  clock.begin();
  auto tuned = tune_kernel(*model, begun.row, request, chosen.backend, *chosen.device);
  std::string not_stored = !store ? to_sentence(store.error()) : tuned ? tuned->not_stored : "";
  change_run(begun.number, [&](TuningRun& run) { run.not_stored = not_stored; });
  if (!tuned) return std::unexpected(tuned.error());
  return std::move(tuned->result);
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
  wait_while_paused(number, stop);
  wait_for_others(stop);
  clock.leave_out(std::chrono::steady_clock::now() - waits_since);
}

void SessionImpl::wait_while_paused(int number, StopToken stop) {
  {
    std::unique_lock lock(mutex_);
    if (!tuner_.pause_wanted) return;
    tuner_.waits = true;
  }
  change_run(number, [](TuningRun& run) { run.state = TuningState::kPaused; });
  publish_tuning();
  tuner_changed_.notify_all();
  {
    std::unique_lock lock(mutex_);
    tuner_changed_.wait(lock, stop, [this] { return !tuner_.pause_wanted; });
    tuner_.waits = tuner_.pause_wanted = false;
  }
  change_run(number, [](TuningRun& run) { run.state = TuningState::kRunning; });
  publish_tuning();
}

void SessionImpl::wait_for_others(StopToken stop) {
  while (!stop.stop_requested() && !jobs_.idle()) std::this_thread::sleep_for(kLook);
}

bool SessionImpl::tuner_rests(double seconds) {
  std::unique_lock lock(mutex_);
  return tuner_changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                                 [this] { return !tuner_.runs || tuner_.waits; });
}

/// With the mutex held: what was begun may have ended meanwhile, and then there is nothing to do.
Status SessionImpl::check_tuned() const {
  if (state_.runs.empty()) return bad_input("no_tuning", "nothing was tuned yet");
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
  tuner_.pause_wanted = tuner_.waits = false;
  tuner_changed_.notify_all();
  return {};
}

Status SessionImpl::run(StopTuning const&) {
  std::lock_guard lock(mutex_);
  TRY(check_tuned());
  stop_tuning();
  return {};
}

/// From now on it is no pause that one waits for, but the end.
void SessionImpl::stop_tuning() {
  tuner_.pause_wanted = tuner_.waits = false;
  tune_jobs_.cancel_all();
}

Status SessionImpl::run(ClearTuning const&) {
  std::lock_guard lock(mutex_);
  std::erase_if(state_.runs, [](auto const& run) { return !run->goes_on(); });
  return {};
}

/// The shortest of a search that was stopped, if that is shorter than the schedule by rule: as a
/// trial, else as it was measured in the history.
void SessionImpl::offer_least(TuningRun& run) const {
  auto work = state_.kernels.find(run.row);
  if (work == state_.kernels.end() || run.least_ms() <= 0) return;
  if (int rule = work->second.default_node; rule >= 0)
    if (auto const& known = work->second.history.node(rule).on(state_.here).measured)
      run.default_ms = known->min_ms;
  for (auto const& trial : run.trials)
    if (trial->knobs.empty() && trial->ms > 0) run.default_ms = trial->ms;
  for (auto const& trial : run.trials)
    if (trial->ms == run.least_ms() && (!run.default_ms || trial->ms < *run.default_ms))
      run.best = trial->number;
}

}  // namespace tw::session
