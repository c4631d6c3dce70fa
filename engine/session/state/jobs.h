/// One worker thread with named jobs: a newer job of a kind voids the older ones of that kind.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/session/values.h"
#include "engine/support/base/job.h"

namespace tw::session {

class Jobs {
public:
  /// `changed` is called on the worker's thread when a job starts, reports progress or ends.
  explicit Jobs(std::function<void()> changed);
  /// Stops the running job and waits for it.
  ~Jobs();

  using Work = std::function<void(StopToken, Progress const&)>;
  /// Queues a job. Waiting jobs of the same kind are dropped, a running one is asked to stop.
  void start(std::string kind, std::string what, Work work);
  /// Asks the running job to stop and drops the waiting ones.
  void cancel_all();
  /// Drops waiting jobs of this kind and asks a running one to stop.
  void cancel(std::string const& kind);

  /// What runs now; empty when idle.
  std::optional<JobView> current() const;
  bool idle() const;
  bool wait_idle(double seconds) const;

private:
  struct Job {
    std::string kind, what;
    Work work;
  };
  void run();

  std::function<void()> changed_;
  mutable std::mutex mutex_;
  mutable std::condition_variable wake_;
  std::deque<Job> waiting_;
  std::optional<Job> running_;
  JobView view_;
  std::stop_source stop_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tw::session
