/// A value that several threads use, one at a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <type_traits>
#include <utility>

#include "engine/support/base/job.h"

namespace tw::session {

/// Whoever uses it gives a function of it, which is short and waits for nobody else.
template <typename T>
class Guarded {
public:
  Guarded() = default;
  explicit Guarded(T first) : value_(std::move(first)) {}

  template <typename Use>
  auto with(Use&& use) {
    std::lock_guard lock(mutex_);
    Woken woken{changed_};
    return use(value_);
  }
  template <typename Look>
  auto look(Look&& look) const {
    std::lock_guard lock(mutex_);
    return look(value_);
  }
  /// As soon as this is true.
  template <typename Holds, typename Use>
  auto when(Holds&& holds, Use&& use) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return holds(value_); });
    Woken woken{changed_};
    return use(value_);
  }
  /// Until a use of it has made this true, or somebody asks to stop.
  template <typename Holds>
  void wait(StopToken stop, Holds&& holds) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] { return holds(value_); });
  }
  /// The same; false after `seconds`.
  template <typename Holds>
  bool wait_for(double seconds, Holds&& holds) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                             [&] { return holds(value_); });
  }

private:
  struct Woken {
    std::condition_variable_any& those;
    ~Woken() { those.notify_all(); }
  };
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  T value_ = {};
};

}  // namespace tw::session
