/// The streams and events of the simulated device: a thread for each stream.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/support/base/error.h"

namespace tw::launches {

/// Does what it is given in that order, beside whoever gives it.
class Stream {
public:
  Stream() : worker_([this] { serve(); }) {}
  /// After all that it was given.
  ~Stream();
  Stream(Stream const&) = delete;
  Stream& operator=(Stream const&) = delete;

  void give(std::function<void()> work);
  /// Until all that it was given is done.
  void finish();

private:
  void serve();

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool busy_ = false, stopping_ = false;
  std::thread worker_;  // the last: it uses the others
};

/// A moment in a stream, as it was recorded last. Streams keep what they still need of it.
class Event {
public:
  void record(Stream& stream);
  /// What the stream is given from now on comes after it.
  void hold(Stream& stream);
  /// Seconds from `from` to `to`, when both have been. Errors: event_not_recorded.
  static Result<double> between(Event const& from, Event const& to);

private:
  struct State {
    std::mutex lock;
    std::condition_variable changed;
    int64_t reached = 0;
    std::chrono::steady_clock::time_point at;
    void wait_for(int64_t time);
  };
  int64_t recorded_ = 0;  ///< so many times; known to whoever gives work
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace tw::launches
