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

}  // namespace

/// Of a device on which it does not run there is none: a trial will tell why.
void Tuning::take_yardsticks(std::vector<size_t> const& devices, KernelCode const& code) {
  std::vector<std::jthread> threads;
  for (size_t device : devices)
    threads.emplace_back([this, device, &code] {
      auto measured = runners_[device]->tried(code, 0);
      if (!measured) return;
      std::lock_guard lock(mutex_);
      double seconds = std::ranges::min(measured->seconds);
      auto [known, is_new] = yardsticks_.try_emplace(device, seconds);
      known->second = std::min(known->second, seconds);
    });
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

std::vector<size_t> Tuning::those_apart() const {
  std::vector<size_t> apart;
  if (yardsticks_.size() < 2) return apart;
  double believed = believed_yardstick();
  for (auto const& [device, seconds] : yardsticks_)
    if (seconds * kMostApart < believed || seconds > kMostApart * believed) apart.push_back(device);
  return apart;
}

/// With the lock.
void Tuning::bar_those_apart() {
  std::vector<size_t> const apart = those_apart();
  if (apart.empty()) return;
  double believed = believed_yardstick();
  for (size_t device : apart) {
    double seconds = yardsticks_.at(device);
    result_.devices[device].reason =
        fmt::format("the default schedule takes {} on it, and {} on others of its type",
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
  take_yardsticks(devices, *code);
  // A moment's load is no lie: all once more.
  if (!those_apart().empty()) take_yardsticks(devices, *code);
  std::lock_guard lock(mutex_);
  bar_those_apart();
  if (yardsticks_.size() < 2) return;
  for (auto const& [device, seconds] : yardsticks_) options_.speeds->at(device).compared = true;
}

}  // namespace tw
