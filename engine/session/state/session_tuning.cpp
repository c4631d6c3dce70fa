// Tuning, as a job of its own kind that goes on while the person edits.
//
// It has a connection to the device of its own, and so a process of its own on this machine. Both
// would disturb each other's times: between two trials the tuner waits until nothing else is
// measured, and what was measured beside a trial is measured again when the machine is quiet.
#include <fmt/format.h>

#include <chrono>
#include <iterator>
#include <sstream>

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
  if (state_.runs.empty() && !state_.model_tuning && !state_.ablation) return nullptr;
  return std::make_shared<TuningView const>(
      TuningView{state_.runs, state_.model_tuning, state_.ablation});
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
  TuneJob job{.wanted = c};
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    if (tuner_.runs)
      return bad_input("tuning_goes_on", "another tuning is not at its end; stop it first");
    TRY_ASSIGN(job.script, open_script(c.from));
    job.model = state_.model;
    run->number = ++tuner_.last_number;
    run->row = state_.kernel;
    run->kernel = job.model->kernel(state_.kernel).name;
    run->search = search.name;
    run->device = state_.here.device;
    run->seed = c.seed;
    run->from = c.from;
    run->kept = words_in(c.keep);
    run->budget = c.trials;
    run->devices.push_back({.name = run->device});
    state_.runs.push_back(run);
    tuner_ = Tuner{.runs = true, .last_number = run->number};
  }
  job.begun = *run;
  tune_jobs_.start("tune", "tuning",
                   [this, job](StopToken stop, Progress const&) { tune_job(job, stop); });
  return {};
}

/// With the mutex held: what a search from a step of the current kernel chooses; null for the
/// target's template.
Result<std::shared_ptr<OpenScript const>> SessionImpl::open_script(int from) const {
  if (from == 0) return nullptr;
  if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
  History const& history = state_.kernels.at(state_.kernel).history;
  if (!history.has(from)) return bad_input("unknown_node", "there is no such step");
  if (!history.node(from).refusal.empty())
    return bad_input("refused_here",
                     "this device refuses a step before: " + history.node(from).refusal);
  auto script =
      std::make_shared<OpenScript const>(OpenScript::all_open(history.node(from).schedule.trace()));
  if (script->open() == 0)
    return bad_input("nothing_open", fmt::format("no step up to step {} has a number that a search "
                                                 "could choose: split a loop first",
                                                 from));
  return script;
}

void SessionImpl::tune_job(TuneJob const& job, StopToken stop) {
  wait_for_others(stop);
  TuningClock clock(job.wanted.trials, job.wanted.seconds);
  auto tuned = tuned_kernel(job, clock, stop);
  change_run(job.begun.number, [&](TuningRun& run) {
    run.state = TuningState::kEnded;
    run.seconds_left.reset();
    rest(run.devices);
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
  tuner_is_done();
}

void SessionImpl::tuner_is_done() {
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

/// What every search here has in common.
TuneRequest SessionImpl::tune_request(std::string const& device, std::string const& search,
                                      int seed, StopToken stop) const {
  TuneRequest request;
  request.roofs = roofs_of(device);
  request.device = device;
  request.build = options_.build;
  request.options.seed = uint64_t(seed);
  request.options.threads = options_.threads;
  request.options.search = search;
  request.options.stop = std::move(stop);
  return request;
}

Result<TuneResult> SessionImpl::tuned_kernel(TuneJob const& job, TuningClock& clock,
                                             StopToken stop) {
  TuningRun const& begun = job.begun;
  TRY_ASSIGN(ChosenDevice chosen, open_device(begun.device, stop));
  auto store = opened_trial_store(options_.trial_store);
  TuneRequest request = tune_request(begun.device, begun.search, begun.seed, stop);
  if (store) request.store = store->get();
  request.options.trials = job.wanted.trials;
  request.options.seconds = job.wanted.seconds;
  request.kept = begun.kept;
  request.script = job.script;
  request.options.on_attempt = [&](Attempt const& attempt) {
    take_attempt(begun.number, attempt, clock, stop);
  };
  request.options.on_device = [&](int device, DeviceShare const& share) {
    take_device(begun.number, device, share, clock);
  };
  clock.begin();
  auto tuned = tune_kernel(*job.model, begun.row, request, chosen.backend, *chosen.device);
  std::string not_stored = !store ? to_sentence(store.error()) : tuned ? tuned->not_stored : "";
  change_run(begun.number, [&](TuningRun& run) { run.not_stored = not_stored; });
  if (!tuned) return std::unexpected(tuned.error());
  return std::move(tuned->result);
}

void SessionImpl::take_device(int number, int device, DeviceShare const& share,
                              TuningClock const& clock) {
  change_run(number, [&](TuningRun& run) {
    if (run.devices.size() <= size_t(device)) run.devices.resize(size_t(device) + 1);
    TuningDevice& shown = run.devices[size_t(device)];
    shown = device_view(share);
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
    tuner_.waits = true;
  }
  show(true);
  tuner_changed_.notify_all();
  {
    std::unique_lock lock(mutex_);
    tuner_changed_.wait(lock, stop, [this] { return !tuner_.pause_wanted; });
    tuner_.waits = tuner_.pause_wanted = false;
  }
  show(false);
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
  if (state_.runs.empty() && !state_.model_tuning)
    return bad_input("no_tuning", "nothing was tuned yet");
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
  if (!tuner_.of_model || tuner_.enough.stop_requested()) return stop_tuning(), Status();
  tuner_.enough.request_stop();
  tuner_.pause_wanted = tuner_.waits = false;
  tuner_changed_.notify_all();
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
  if (state_.model_tuning && !state_.model_tuning->goes_on()) state_.model_tuning = nullptr;
  if (state_.ablation && !state_.ablation->goes_on) state_.ablation = nullptr;
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
    if (run.from == 0 && trial->knobs.empty() && trial->ms > 0) run.default_ms = trial->ms;
  auto to_beat = run.from_ms() > 0 ? std::optional(run.from_ms()) : run.default_ms;
  for (auto const& trial : run.trials)
    if (trial->ms == run.least_ms() && (!to_beat || trial->ms < *to_beat)) run.best = trial->number;
}

}  // namespace tw::session
