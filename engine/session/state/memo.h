/// The views that queries made, the last ones of each query, and the threads that make them.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/session/state/jobs.h"
#include "engine/session/state/query.h"

namespace tw::session {

class Memo {
public:
  /// `changed` is called on a query's thread when another view is there.
  explicit Memo(std::function<void()> changed);

  /// The view of this key, or null: then it is being made.
  QueryValue ask(QueryRow const& row, QueryKeyPtr const& key);

  /// While a kernel is timed: what nobody's hand waits for does not begin.
  void hold();
  void release();

  /// As of `Jobs`, for all threads.
  void end();
  void join();
  bool wait_idle(double seconds) const;

private:
  struct Entry {
    QueryKeyPtr key;
    QueryValue value = {};
    bool whole = false;
    QueryLane lane = QueryLane::kCaller;
    std::string job = {};
  };
  using Entries = std::vector<Entry>;

  // With the mutex held.
  static Entries::iterator find(Entries& entries, QueryKey const& key);
  Entry begun(QueryRow const& row, QueryKeyPtr const& key, QueryPart const& part);
  void add(QueryRow const& row, Entries& entries, Entry entry);
  void start(QueryRow const& row, Entry const& entry);
  /// False: nobody waits for it.
  bool keep(QueryRow const& row, QueryKeyPtr const& key, QueryValue value);
  // On a query's thread.
  void make(QueryRow const& row, QueryKeyPtr const& key, StopToken stop);
  void show(QueryRow const& row, QueryKeyPtr const& key, QueryValue part);
  bool take(QueryRow const& row, QueryKeyPtr const& key, QueryValue value);
  Making making(
      StopToken stop = {}, std::function<void(QueryValue)> part = [](QueryValue) {});
  QueryValue need(QueryRow const& row, QueryKeyPtr const& key);
  QueryValue known(QueryRow const& row, QueryKey const& key);

  Jobs& lane(QueryLane lane) { return *lanes_[size_t(lane)]; }

  std::function<void()> changed_;
  std::mutex mutex_;
  std::map<QueryRow const*, Entries> made_;
  uint64_t asked_ = 0;
  std::array<std::unique_ptr<Jobs>, kQueryThreads> lanes_;
};

}  // namespace tw::session
