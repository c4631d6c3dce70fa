/// What happened on a device, as its client saw it: the newest events, with their times.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace tw {

struct DeviceEvent {
  enum class Kind : uint8_t { kConnected, kLoaded, kRan, kTimed, kFailed, kLost };
  double unix_seconds = 0;  ///< by this machine's clock
  Kind kind = Kind::kConnected;
  std::string text;  ///< a sentence without its full stop
};

/// Callable from any thread.
class DeviceLog {
public:
  static constexpr size_t kMostEvents = 2000;

  /// Called after each event, on the thread that it happened on; must return at once.
  void set_listener(std::function<void()> listener);
  void add(DeviceEvent::Kind kind, std::string text);
  std::vector<DeviceEvent> events() const;
  /// Of events so far, also those that are no longer kept.
  uint64_t count() const;

private:
  mutable std::mutex mutex_;
  std::deque<DeviceEvent> events_;
  uint64_t count_ = 0;
  std::function<void()> listener_;
};

/// "connected", "loaded", "ran", "timed", "failed", "lost"
char const* word_of(DeviceEvent::Kind kind);

}  // namespace tw
