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

  /// As of `Jobs`, for all threads.
  void end();
  void join();
  bool wait_idle(double seconds) const;

private:
  struct Entry {
    QueryKeyPtr key;
    QueryValue value = {};
    bool whole = false;
    std::string job = {};
  };
  // With the mutex held.
  void make_room(QueryRow const& row, std::vector<Entry>& entries);
  void start(QueryRow const& row, Entry const& entry);
  /// On the query's thread.
  void take(QueryRow const& row, QueryKeyPtr const& key, QueryValue value, bool stopped);

  Jobs& lane(QueryRow const& row) { return *lanes_[size_t(row.lane)]; }

  std::function<void()> changed_;
  std::mutex mutex_;
  std::map<QueryRow const*, std::vector<Entry>> made_;
  uint64_t asked_ = 0;
  std::array<std::unique_ptr<Jobs>, kQueryThreads> lanes_;
};

}  // namespace tw::session
