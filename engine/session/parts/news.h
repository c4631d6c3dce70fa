/// Tells who looks that there is something new.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "engine/session/state/guarded.h"

namespace tw::session {

class News {
public:
  using Listener = std::function<void()>;
  void set_listener(Listener listener) {
    listener_.with([&](Listener& known) { known = std::move(listener); });
  }
  /// There is something new to be seen or asked for: snapshots have another version.
  void notify() {
    ++version_;
    call();
  }
  /// A job has come farther; nothing else is new.
  void call() {
    listener_.with([](Listener& known) {
      if (known) known();
    });
  }
  uint64_t version() const { return version_; }

private:
  Guarded<Listener> listener_;
  std::atomic<uint64_t> version_ = 0;
};

}  // namespace tw::session
