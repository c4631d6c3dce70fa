/// Devices that do not answer, or have slowed down: whom a search waits for, and for how long.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "engine/compile/kernel_code.h"
#include "engine/tuner/tuning.h"

namespace tw {

bool Tuning::someone_else_works(size_t device) const {
  for (size_t other = 0; other < runners_.size(); ++other)
    if (other != device && result_.devices[other].reason.empty()) return true;
  return false;
}

/// With the lock: nobody has made a trial for too long, or will make another one. A device that
/// answers and fails each time is there, and of no use.
void Tuning::fail_without_devices(Stretch& stretch) {
  bool nobody = std::ranges::none_of(result_.devices, &std::string::empty, &DeviceShare::reason);
  if (!nobody) stretch.alone_since.reset();
  if (nobody && !stretch.alone_since) stretch.alone_since = Clock::now();
  bool in_vain = std::ranges::none_of(failures_, [](int count) { return count == 0; });
  if (!in_vain) stretch.in_vain_since.reset();
  if (in_vain && !stretch.in_vain_since) stretch.in_vain_since = Clock::now();
  bool too_long = options_.lost_seconds > 0 &&
                  ((in_vain && since(*stretch.in_vain_since) >= options_.lost_seconds) ||
                   (nobody && since(*stretch.alone_since) >= options_.lost_seconds));
  if (!too_long && barred_.size() < runners_.size()) return;
  std::vector<DeviceShare> devices = result_.devices;
  for (size_t i = 0; i < devices.size(); ++i)
    if (devices[i].reason.empty()) devices[i].reason = last_failure_[i];
  stretch.failure = no_device(too_long ? options_.lost_seconds : 0, devices);
}

/// With the lock.
void Tuning::note_failure(size_t device, Trouble const& trouble, Stretch& stretch) {
  last_failure_[device] = trouble.sentence;
  if (!trouble.slow) ++failures_[device];
  fail_without_devices(stretch);
}

/// With the lock: one that says what cannot be is asked no more after some times.
bool Tuning::bars(size_t device, Trouble const& trouble, Stretch& stretch) {
  note_failure(device, trouble, stretch);
  bool impossible = trouble.code == "impossible_times";
  if (!impossible || failures_[device] < kMostImpossible) return false;
  result_.devices[device].reason = trouble.sentence;
  barred_.insert(device);
  return true;
}

/// With the lock: a candidate that was lost again and again while others were made. It counts as
/// one that was lost, which says nothing about it.
bool Tuning::is_hopeless(Compiled& compiled) {
  if (compiled.losses++ == 0) compiled.made = trials();
  return compiled.losses >= kMostLosses && trials() > compiled.made;
}

bool Tuning::is_over(Stretch& stretch) {
  std::lock_guard lock(mutex_);
  fail_without_devices(stretch);
  return trials() >= stretch.last || stretch.end != TuneEnd::kTrials || stretch.failure ||
         options_.stop.stop_requested() || options_.enough.stop_requested() ||
         Clock::now() >= stretch.deadline;
}

/// A slow device that nobody can stand in for; false: it does not answer, or there is another one.
bool Tuning::settles(size_t device, Stretch const& stretch) {
  std::optional<Finalist> best;
  {
    std::lock_guard lock(mutex_);
    bool patient = stretch.alone_since && since(*stretch.alone_since) >= options_.slow_seconds;
    if (!patient) return false;
    if (!right_.empty()) best = right_.front();
  }
  if (!best) return true;  // nothing to compare with
  auto code = compile_kernel(best->candidate.schedule.program(), space_.backend(), CodeTier::kFast,
                             options_.stop);
  if (code) runners_[device]->settle(*code, best->seconds);
  return code.has_value();
}

/// Until the device answers again, or is as fast as it was; false: the stretch is over before.
bool Tuning::waits_for(size_t device, Trouble const& trouble, Stretch& stretch) {
  {
    std::lock_guard lock(mutex_);
    DeviceShare& share = result_.devices[device];
    bool first = share.reason.empty();
    share.lost += first && !trouble.slow;
    share.slowed += first && trouble.slow;
    share.reason = trouble.sentence;
    show(device, DeviceWork::kLost);
  }
  auto pause = kFirstPause;
  {
    std::lock_guard lock(mutex_);  // one that failed before, although it was back, is asked later
    for (int i = 1; i < failures_[device] && pause < kLongestPause; ++i) pause *= 2;
  }
  for (;; pause = std::min(2 * pause, kLongestPause)) {
    auto until = Clock::now() + pause;
    while (Clock::now() < until) {
      std::this_thread::sleep_for(kFirstPause);
      if (is_over(stretch)) return false;
    }
    bool back = runners_[device]->is_back() || (trouble.slow && settles(device, stretch));
    if (!back) continue;
    std::lock_guard lock(mutex_);
    result_.devices[device].reason.clear();
    stretch.alone_since.reset();
    return true;
  }
}

/// One device says who is best: the first that takes part.
std::optional<size_t> Tuning::judge() const {
  for (size_t i = 0; i < runners_.size(); ++i)
    if (result_.devices[i].reason.empty()) return i;
  return std::nullopt;
}

/// Until one of those that are gone is back.
bool Tuning::waits_for_judge(Clock::time_point end) {
  while (!options_.stop.stop_requested()) {
    for (size_t i = 0; i < runners_.size(); ++i) {
      if (barred_.contains(i) || !runners_[i]->is_back()) continue;
      result_.devices[i].reason.clear();
      return true;
    }
    if (Clock::now() >= end || barred_.size() == runners_.size()) return false;
    std::this_thread::sleep_for(kFirstPause);
  }
  return false;
}

/// The last comparison, again where its device goes in the middle of it.
Result<FinalResult> Tuning::compared(int finalists) {
  FinalsOptions const finals{options_.threads, options_.seed, finalists, options_.turns.get(),
                             options_.stop};
  auto const patience = std::chrono::duration<double>(options_.finals_seconds);
  auto const end = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience);
  std::optional<Error> failure;
  while (true) {
    std::optional<size_t> device = judge();
    if (!device && !waits_for_judge(end)) break;
    if (!device) continue;
    show(*device, DeviceWork::kMeasuring);
    auto made = compare_finalists(space_, runners_[*device]->bench(), expected_, right_, finals);
    if (made) show(*device, DeviceWork::kIdle);
    bool lost = !made && failure_of_run(made.error()).owner == FailureOwner::kDevice;
    if (!lost || options_.stop.stop_requested()) return made;
    failure = made.error();
    result_.devices[*device].reason = to_sentence(*failure);
    show(*device, DeviceWork::kLost);
    if (Clock::now() >= end) break;
    std::this_thread::sleep_for(kFirstPause);
  }
  if (options_.stop.stop_requested()) return refused("cancelled", "cancelled");
  return environment_failed(
      kNoDevice, fmt::format("the last comparison was not made: {}",
                             no_device(options_.finals_seconds, result_.devices).message));
}

}  // namespace tw
