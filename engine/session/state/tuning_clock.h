/// How fast a tuning goes and how long it still takes; pauses are left out.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace tw::session {

/// Used by the tuner's thread only.
class TuningClock {
public:
  using Clock = std::chrono::steady_clock;
  /// The budget; no seconds: only the trials count.
  TuningClock(int trials, double seconds) : trials_(trials), seconds_(seconds) {}

  void begin() { start_ = work_start_ = Clock::now(); }
  /// Waiting, which is no work.
  void leave_out(Clock::duration waited) { work_start_ += waited; }

  double trials_a_second(int done) const { return done / std::max(since(work_start_), 1e-6); }
  double seconds_left(int done) const {
    double of_trials = (trials_ - done) / trials_a_second(done);
    double left = seconds_ > 0 ? std::min(of_trials, seconds_ - since(start_)) : of_trials;
    return std::max(left, 0.0);
  }
  bool is_over() const { return seconds_ > 0 && since(start_) >= seconds_; }
  double elapsed() const { return since(work_start_); }
  /// What a device does can be read before it does something else.
  bool is_slow(int done) const { return trials_a_second(done) < 8; }
  /// Not each one of many: a picture takes longer than a short trial.
  bool should_show(int done) {
    if (done < trials_ && since(shown_) < 0.1) return false;
    shown_ = Clock::now();
    return true;
  }

private:
  static double since(Clock::time_point point) {
    return std::chrono::duration<double>(Clock::now() - point).count();
  }
  int trials_;
  double seconds_;
  Clock::time_point start_ = Clock::now(), work_start_ = start_, shown_ = {};
};

}  // namespace tw::session
