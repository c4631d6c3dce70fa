#include "tests/targets/launches/runtime/stream.h"

#include <algorithm>

namespace tw::launches {

Stream::~Stream() {
  {
    std::lock_guard lock(lock_);
    stopping_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void Stream::give(std::function<void()> work) {
  {
    std::lock_guard lock(lock_);
    waiting_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void Stream::finish() {
  std::unique_lock lock(lock_);
  changed_.wait(lock, [&] { return waiting_.empty() && !busy_; });
}

void Stream::serve() {
  std::unique_lock lock(lock_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    lock.unlock();
    work();
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void Event::State::wait_for(int64_t time) {
  std::unique_lock hold(lock);
  changed.wait(hold, [&] { return reached >= time; });
}

void Event::record(Stream& stream) {
  stream.give([state = state_, time = ++recorded_] {
    {
      std::lock_guard hold(state->lock);
      state->reached = std::max(state->reached, time);
      state->at = std::chrono::steady_clock::now();
    }
    state->changed.notify_all();
  });
}

void Event::hold(Stream& stream) {
  if (recorded_ > 0) stream.give([state = state_, time = recorded_] { state->wait_for(time); });
}

Result<double> Event::between(Event const& from, Event const& to) {
  if (from.recorded_ == 0 || to.recorded_ == 0)
    return bad_input("event_not_recorded",
                     "there is no time between events of which one was never recorded");
  from.state_->wait_for(from.recorded_);
  to.state_->wait_for(to.recorded_);
  return std::chrono::duration<double>(to.state_->at - from.state_->at).count();
}

}  // namespace tw::launches
