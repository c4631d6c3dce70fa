/// One worker thread with named jobs: a newer job of a kind voids the older ones of that kind.
#pragma once

#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "engine/session/state/guarded.h"
#include "engine/session/values.h"
#include "engine/support/base/job.h"

namespace tw::session {

class Jobs {
public:
  /// `changed` is called on the worker's thread when a job starts, reports progress or ends.
  explicit Jobs(std::function<void()> changed);
  /// Stops the running job and waits for it.
  ~Jobs();
  /// Begins nothing any more and asks the running job to stop; `join` waits for it. Where jobs of
  /// one begin jobs of another, all are asked before any is waited for.
  void end();
  void join();

  using Work = std::function<void(StopToken, Progress const&)>;
  /// Queues a job. Waiting jobs of the same kind are dropped, a running one is asked to stop.
  void start(std::string kind, std::string what, Work work);
  /// Before all that wait. A running job of one of these kinds gives way: it is asked to stop, and
  /// done from its beginning afterwards.
  void start_first(std::string kind, std::string what, Work work,
                   std::initializer_list<char const*> give_way);
  /// Asks the running job to stop and drops the waiting ones, but those of the kind `kept`: nobody
  /// has seen them yet.
  void cancel_all(std::string const& kept = "");
  /// The running one, too, unless it is of one of these kinds.
  void cancel_all_but(std::initializer_list<char const*> kinds);
  /// Drops waiting jobs of this kind and asks a running one to stop.
  void cancel(std::string const& kind);

  /// Until as many releases no job begins, and a running one waits where it asks to.
  void hold();
  void release();
  void wait_while_held(StopToken stop);

  /// What runs now; empty when idle.
  std::optional<JobView> current() const;
  bool idle() const;
  bool wait_idle(double seconds) const;

private:
  struct Job {
    std::string kind, what;
    Work work;
  };
  struct Line {
    std::deque<Job> waiting;
    std::optional<Job> running;
    JobView view;
    std::stop_source stop;
    bool ending = false;
    bool gives_way = false;  ///< the running one: it is done again
    int held = 0;
    bool idle() const { return !running && waiting.empty(); }
    void drop(std::function<bool(Job const&)> const& those);
    void begin_next();
    void end_running();
  };
  void run();

  std::function<void()> changed_;
  Guarded<Line> line_;
  std::thread thread_;
};

}  // namespace tw::session
