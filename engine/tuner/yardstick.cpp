/// Devices of one kind take about the same for the same kernel. Each is asked for one that is
/// known, the schedule by rule, before its first trial: whose times are not like the others' takes
/// no part.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "engine/compile/kernel_code.h"
#include "engine/support/base/quantities.h"
#include "engine/tuner/tuning.h"

namespace tw {
namespace {

constexpr double kMostApart = 2;  // times: what a busy machine does to the least of several samples
constexpr int kTries = 2;

}  // namespace

/// Nothing: it did not run, which a trial will tell.
std::optional<double> Tuning::yardstick_on(size_t device, KernelCode const& code) {
  std::optional<double> least;
  for (int i = 0; i < kTries; ++i) {
    auto measured = runners_[device]->tried(code, 0);
    if (!measured) break;
    double seconds = std::ranges::min(measured->seconds);
    least = std::min(least.value_or(seconds), seconds);
  }
  return least;
}

/// Who is believed: this machine, else the middle of several, else the slower of two: to be the
/// faster one is what a lie would be for.
double Tuning::believed_yardstick() const {
  std::vector<double> all;
  for (auto const& [device, seconds] : yardsticks_) {
    if (options_.here.contains(device)) return seconds;
    all.push_back(seconds);
  }
  std::ranges::sort(all);
  return all.size() == 2 ? all[1] : all[all.size() / 2];
}

/// With the lock.
void Tuning::bar_those_apart() {
  if (yardsticks_.size() < 2) return;
  double believed = believed_yardstick();
  for (auto const& [device, seconds] : yardsticks_) {
    if (seconds * kMostApart >= believed && seconds <= kMostApart * believed) continue;
    result_.devices[device].reason =
        fmt::format("the schedule by rule takes {} on it, and {} on others of its kind",
                    duration_text(seconds), duration_text(believed));
    barred_.insert(device);
    show(device, DeviceWork::kBarred);
  }
  std::erase_if(yardsticks_, [&](auto const& one) { return barred_.contains(one.first); });
}

/// Those whose times nobody has compared, and one whose times somebody has.
std::vector<size_t> Tuning::to_compare() const {
  std::vector<size_t> devices;
  std::optional<size_t> known;
  for (size_t i = 0; i < runners_.size(); ++i) {
    if (barred_.contains(i) || !result_.devices[i].reason.empty()) continue;
    if (!options_.speeds->at(i).compared)
      devices.push_back(i);
    else if (!known)
      known = i;
  }
  if (!devices.empty() && known) devices.push_back(*known);
  return devices;
}

void Tuning::compare_devices() {
  std::vector<size_t> devices = to_compare();
  if (devices.size() < 2) return;
  auto rule = space_.by_rule();
  if (!rule) return;
  auto code =
      compile_kernel(rule->schedule.program(), space_.backend(), CodeTier::kFast, options_.stop);
  if (!code) return;  // a trial says why
  std::vector<std::jthread> threads;
  for (size_t device : devices)
    threads.emplace_back([this, device, &code] {
      auto seconds = yardstick_on(device, *code);
      std::lock_guard lock(mutex_);
      if (seconds) yardsticks_[device] = *seconds;
    });
  threads.clear();  // joins
  std::lock_guard lock(mutex_);
  bar_those_apart();
  if (yardsticks_.size() < 2) return;
  for (auto const& [device, seconds] : yardsticks_) options_.speeds->at(device).compared = true;
}

}  // namespace tw
