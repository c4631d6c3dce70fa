#include "engine/device/device_log.h"

#include <chrono>

namespace tw {

void DeviceLog::set_listener(std::function<void()> listener) {
  std::lock_guard lock(mutex_);
  listener_ = std::move(listener);
}

void DeviceLog::add(DeviceEvent::Kind kind, std::string text) {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  std::lock_guard lock(mutex_);
  events_.push_back({std::chrono::duration<double>(now).count(), kind, std::move(text)});
  if (events_.size() > kMostEvents) events_.pop_front();
  ++count_;
  if (listener_) listener_();
}

std::vector<DeviceEvent> DeviceLog::events() const {
  std::lock_guard lock(mutex_);
  return {events_.begin(), events_.end()};
}

uint64_t DeviceLog::count() const {
  std::lock_guard lock(mutex_);
  return count_;
}

char const* word_of(DeviceEvent::Kind kind) {
  static char const* const kWords[] = {"connected", "loaded", "ran", "timed", "failed", "lost"};
  return kWords[size_t(kind)];
}

}  // namespace tw
