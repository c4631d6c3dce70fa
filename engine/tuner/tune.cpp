#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "engine/tuner/tuning.h"

namespace tw {

using records::Outcome;

/// What was known is as if it had been measured now; the last comparison measures the best again.
Status Tuning::take_known() {
  std::vector<Candidate> known;
  for (KnownTrial const& trial : options_.known) {
    TRY_ASSIGN(Candidate candidate, space_.at(trial.point));
    search_->tell(candidate, trial.seconds);
    if (trial.seconds) keep_right(candidate, *trial.seconds);
    known.push_back(std::move(candidate));
  }
  proposals_ = std::make_unique<Proposals>(space_, *search_, options_, int(runners_.size()), known);
  return {};
}

Status Tuning::begin(std::vector<Device*> const& devices, std::vector<NDArray> inputs) {
  TRY_ASSIGN(std::vector<Limits> limits, limits_of(expected_, space_.program()));
  if (!options_.speeds) options_.speeds = std::make_shared<std::map<size_t, DeviceSpeed>>();
  for (size_t i = 0; i < devices.size(); ++i) {
    // What compiles beside it may, where kernels leave processors free.
    bool alone = options_.here.contains(i) && !options_.overlap;
    RunnerShares shares{(*options_.speeds)[i], alone ? options_.turns.get() : nullptr};
    runners_.push_back(std::make_unique<TrialRunner>(*devices[i], space_.program(), inputs,
                                                     expected_, limits, options_.threads,
                                                     options_.stop, shares));
  }
  result_.devices.resize(devices.size());
  failures_.assign(devices.size(), 0);
  last_failure_.resize(devices.size());
  for (size_t i = 0; i < std::min(devices.size(), options_.device_names.size()); ++i)
    result_.devices[i].name = options_.device_names[i];
  TRY(space_.by_rule());  // pinned knobs are checked by it
  TRY_ASSIGN(SearchRow row, find_search(options_.search));
  if (row.make_with == nullptr && options_.learning != Learning{})
    return bad_input(
        "no_model_to_choose",
        fmt::format(
            "the search '{}' learns nothing: a cost model and its settings are for the search "
            "'learned'",
            row.name));
  search_ = row.make_with != nullptr
                ? row.make_with(space_, options_.seed, {options_.experience, options_.learning})
                : row.make(space_, options_.seed);
  return take_known();
}

/// What others are compared with was proven, and judged here.
std::optional<Trouble> Tuning::doubted(size_t device, Compiled const& compiled, double seconds) {
  if (best_seconds() > 0 && seconds >= best_seconds()) return {};
  if (auto proven = space_.proven(compiled.candidate); !proven)
    return Trouble{Outcome::kInvalid, to_sentence(proven.error())};
  auto wrong = runners_[device]->wrong_after_all();
  if (wrong && wrong->outcome == Outcome::kWrong) {
    result_.devices[device].reason = kLies;
    barred_.insert(device);
  }
  return wrong;
}

std::expected<TrialSamples, Trouble> Tuning::tried(size_t device, Compiled const& compiled) {
  if (!compiled.code) {
    Error const& error = compiled.code.error();
    Failure failure = failure_of_code(error);
    return std::unexpected(
        Trouble{failure.outcome, error.message, false, failure.owner, error.code});
  }
  double incumbent = 0;
  {
    std::lock_guard lock(mutex_);
    incumbent = best_seconds();
  }
  auto measured = runners_[device]->tried(*compiled.code, incumbent);
  if (!measured) return measured;
  std::lock_guard lock(mutex_);
  if (auto wrong = doubted(device, compiled, std::ranges::min(measured->seconds)))
    return std::unexpected(std::move(*wrong));
  return measured;
}

Attempt Tuning::attempt_of(size_t device, Compiled const& compiled) const {
  Attempt attempt;
  attempt.device = int(device);
  attempt.point = compiled.candidate.point;
  attempt.script = compiled.candidate.schedule.script();
  attempt.predicted_seconds = compiled.candidate.predicted_seconds;
  if (auto model = space_.modelled(compiled.candidate)) attempt.modelled_seconds = model->seconds;
  return attempt;
}

Attempt Tuning::attempt(size_t device, Compiled const& compiled, std::optional<Trouble>& trouble) {
  Attempt attempt = attempt_of(device, compiled);
  auto measured = tried(device, compiled);
  if (measured) {
    attempt.seconds = std::move(measured->seconds);
    attempt.probe_rate = measured->speed;
  } else {
    trouble = std::move(measured.error());
    attempt.outcome = trouble->outcome;
    attempt.sentence = trouble->sentence;
  }
  return attempt;
}

double Tuning::best_seconds() const { return right_.empty() ? 0 : right_.front().seconds; }

void Tuning::keep_right(Candidate const& candidate, double seconds) {
  if (candidate.point.empty()) rule_seconds_ = seconds;
  Finalist one{candidate, seconds};
  right_.insert(std::ranges::upper_bound(right_, seconds, {}, &Finalist::seconds), std::move(one));
  // The schedule by rule may be one of them. Programs are large: no other one is kept.
  if (right_.size() > kFinalists + 1) right_.pop_back();
}

void Tuning::keep(Attempt attempt, Candidate const& candidate) {
  if (attempt.outcome == Outcome::kOk) keep_right(candidate, std::ranges::min(attempt.seconds));
  attempt.number = int(result_.attempts.size()) + 1;
  attempt.best_seconds = best_seconds();
  ++result_.devices[size_t(attempt.device)].trials;
  if (attempt.outcome != Outcome::kDeviceLost) failures_[size_t(attempt.device)] = 0;
  result_.attempts.push_back(std::move(attempt));
  if (options_.on_attempt) options_.on_attempt(result_.attempts.back());
}

/// Whether there is time and budget for one more, which is taken then.
bool Tuning::may_take(Stretch& stretch) {
  if (stretch.failure || options_.stop.stop_requested() || stretch.taken >= stretch.last)
    return false;
  if (options_.enough.stop_requested()) {
    stretch.end = TuneEnd::kStopped;
    return false;
  }
  if (Clock::now() >= stretch.deadline) {
    stretch.end = TuneEnd::kSeconds;
    return false;
  }
  ++stretch.taken;
  return true;
}

/// With the lock.
void Tuning::show(size_t device, DeviceWork work, int trial) {
  DeviceShare& share = result_.devices[device];
  share.work = work;
  share.trial = trial;
  if (options_.on_device) options_.on_device(int(device), share);
}

/// The same. Where others have all that is left, one of them may be lost and give it back.
bool Tuning::comes_to_take(Stretch& stretch) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (may_take(stretch)) return true;
    bool waits = trials() < stretch.last && stretch.taken >= stretch.last &&
                 stretch.end == TuneEnd::kTrials && !stretch.failure &&
                 !options_.stop.stop_requested() && !options_.enough.stop_requested() &&
                 Clock::now() < stretch.deadline;
    if (!waits) return false;
    given_back_.wait_for(lock, kFirstPause);
  }
}

/// Candidates for one device, more than one where a call takes a while to get there. Empty: there
/// is none, or no time.
std::deque<Compiled> Tuning::taken(size_t device, Stretch& stretch) {
  std::deque<Compiled> mine;
  if (!comes_to_take(stretch)) return mine;
  {
    std::lock_guard lock(mutex_);
    show(device, DeviceWork::kCompiling);
  }
  auto asked = Clock::now();
  auto compiled = proposals_->next();
  {
    std::lock_guard lock(mutex_);
    result_.costs.waiting += since(asked);
    if (!compiled || !*compiled) {
      if (compiled) stretch.end = TuneEnd::kConverged;
      if (!compiled) stretch.failure = compiled.error();
      --stretch.taken;
      return mine;
    }
  }
  mine.push_back(std::move(**compiled));
  int wanted = runners_[device]->worth_one_call();
  if (wanted == 1 || !mine.front().code || mine.front().code->load) return mine;
  proposals_->expect(wanted);
  std::lock_guard lock(mutex_);
  while (int(mine.size()) < wanted && may_take(stretch)) {
    std::optional<Compiled> more = proposals_->another();
    if (!more) {
      --stretch.taken;
      break;
    }
    mine.push_back(std::move(*more));
  }
  return mine;
}

/// Tries all in one call; those that it did not settle are left, to be tried alone.
void Tuning::try_together(size_t device, std::deque<Compiled>& mine) {
  std::vector<KernelCode const*> codes;
  for (Compiled const& one : mine) codes.push_back(&*one.code);
  double incumbent = 0;
  {
    std::lock_guard lock(mutex_);
    incumbent = best_seconds();
    show(device, DeviceWork::kMeasuring, begun_ + 1);
    begun_ += int(mine.size());
  }
  std::set<size_t> settled;
  runners_[device]->tried_each(codes, incumbent, [&](size_t which, TrialSamples measured) {
    settled.insert(which);
    double took = std::ranges::min(measured.seconds);
    Attempt made = attempt_of(device, mine[which]);
    made.seconds = std::move(measured.seconds);
    made.probe_rate = measured.speed;
    {
      std::lock_guard lock(mutex_);
      keep(std::move(made), mine[which].candidate);
    }
    proposals_->tell(mine[which].candidate, took);
  });
  std::deque<Compiled> left;
  for (size_t i = 0; i < mine.size(); ++i)
    if (!settled.contains(i)) left.push_back(std::move(mine[i]));
  mine = std::move(left);
}

void Tuning::give_back(std::deque<Compiled>& mine, Stretch& stretch) {
  int count = int(mine.size());
  for (; !mine.empty(); mine.pop_back()) proposals_->put_back(std::move(mine.back()));
  {
    std::lock_guard lock(mutex_);
    stretch.taken -= count;
  }
  given_back_.notify_all();
}

/// False: the device takes no part any more.
bool Tuning::try_alone(size_t device, std::deque<Compiled>& mine, Stretch& stretch) {
  std::optional<Trouble> trouble;
  {
    std::lock_guard lock(mutex_);
    show(device, DeviceWork::kMeasuring, ++begun_);
  }
  Attempt made = attempt(device, mine.front(), trouble);
  std::unique_lock lock(mutex_);
  if (options_.stop.stop_requested()) return false;
  if (trouble && trouble->owner == FailureOwner::kHere) {
    stretch.failure = Error{trouble->code, trouble->sentence, {}, Fault::kEnvironment};
    return false;
  }
  bool lost = made.outcome == Outcome::kDeviceLost;
  if (lost && (trouble->slow || options_.lost_seconds > 0 || someone_else_works(device)) &&
      (trouble->slow || !is_hopeless(mine.front()))) {
    bool out = bars(device, *trouble, stretch);
    lock.unlock();
    give_back(mine, stretch);
    return !out && waits_for(device, *trouble, stretch);
  }
  std::optional<double> took;
  if (made.outcome == Outcome::kOk) took = std::ranges::min(made.seconds);
  Compiled done = std::move(mine.front());
  mine.pop_front();
  keep(std::move(made), done.candidate);
  bool out = !result_.devices[device].reason.empty();
  lock.unlock();
  if (lost)
    proposals_->drop();
  else
    proposals_->tell(done.candidate, took);
  if (out) give_back(mine, stretch);
  return !out;
}

/// One device's part of a stretch.
void Tuning::work(size_t device, Stretch& stretch) {
  std::string const before = result_.devices[device].reason;
  {
    std::lock_guard lock(mutex_);
    if (barred_.contains(device)) return fail_without_devices(stretch);
  }
  Trouble const lost{Outcome::kDeviceLost, before, false, FailureOwner::kDevice};
  if (!before.empty() && !waits_for(device, lost, stretch)) return;
  take_trials(device, stretch);
  std::lock_guard lock(mutex_);
  if (result_.devices[device].reason.empty()) show(device, DeviceWork::kIdle);
  if (!barred_.contains(device)) return;
  show(device, DeviceWork::kBarred);
  fail_without_devices(stretch);
}

void Tuning::take_trials(size_t device, Stretch& stretch) {
  while (true) {
    std::deque<Compiled> mine = taken(device, stretch);
    if (mine.empty()) return;
    if (mine.size() > 1) try_together(device, mine);
    while (!mine.empty())
      if (!try_alone(device, mine, stretch)) return;
  }
}

Result<TuneEnd> Tuning::search(int trials, double seconds) {
  Stretch stretch;
  stretch.start = Clock::now();
  stretch.deadline = Clock::time_point::max();
  if (seconds > 0)
    stretch.deadline = stretch.start + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(seconds));
  compare_devices();
  stretch.taken = this->trials();
  stretch.last = std::min(options_.trials, this->trials() + trials);
  // What a lost device gave back may be left when the others were done.
  for (int made = -1; this->trials() < stretch.last && made < this->trials();) {
    made = this->trials();
    std::vector<std::jthread> others;
    for (size_t device = 1; device < runners_.size(); ++device)
      others.emplace_back([this, device, &stretch] { work(device, stretch); });
    work(0, stretch);
    others.clear();  // joins
    if (stretch.failure || stretch.end != TuneEnd::kTrials) break;
  }
  if (stretch.failure) return std::unexpected(*stretch.failure);
  if (options_.stop.stop_requested()) stretch.end = TuneEnd::kStopped;
  result_.wall_seconds += since(stretch.start);
  result_.end = stretch.end;
  return stretch.end;
}

Result<TuneResult> Tuning::finish(int finalists) {
  result_.rejected = proposals_->rejected();
  result_.repeated = proposals_->repeated();
  result_.costs.proposing = proposals_->costs().proposing;
  result_.costs.compiling = proposals_->costs().compiling;
  proposals_.reset();
  result_.modelled = search_->modelled();
  for (auto const& runner : runners_) {
    result_.costs.running += runner->costs().running;
    result_.costs.comparing += runner->costs().comparing;
  }
  TRY_ASSIGN(result_.space_size, space_.size());
  TRY_ASSIGN(FinalResult final, compared(finalists));
  result_.script = final.best.script();
  result_.point = final.best.candidate.point;
  result_.seconds = final.best_seconds;
  result_.rule_seconds = final.rule_seconds;
  return std::move(result_);
}

Result<std::unique_ptr<KernelTuning>> KernelTuning::create(Space space,
                                                           std::vector<Device*> devices,
                                                           std::vector<NDArray> inputs,
                                                           te::Expected expected,
                                                           TuneOptions options) {
  auto tuning = std::make_unique<Tuning>(std::move(space), std::move(expected), std::move(options));
  TRY(tuning->begin(devices, std::move(inputs)));
  return tuning;
}

}  // namespace tw
