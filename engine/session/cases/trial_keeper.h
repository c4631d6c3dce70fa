/// The trials of a search on their way into the store. A store that is busy, full or away for a
/// while loses none: what it did not take waits, in order and bounded. Where too many wait, the
/// search does, too; where the store stays away, the search ends, with the reason.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <stop_token>

#include "engine/records/trial_store.h"
#include "engine/support/base/job.h"

namespace tw::session {

struct KeeperPatience {
  size_t most_waiting = 256;  ///< trials
  double seconds = 60;        ///< from the first one on that was not taken
  double last_seconds = 20;   ///< of this, at the end: somebody waits for the result
};

/// Used by one thread at a time; `enough` by any.
class TrialKeeper {
public:
  /// `store`: null: nothing is kept. `stop`: nobody waits any more. `enough`: of whoever asked for
  /// the search.
  explicit TrialKeeper(records::TrialStore* store, StopToken stop = {}, StopToken enough = {},
                       KeeperPatience patience = {});
  TrialKeeper(TrialKeeper const&) = delete;

  /// Comes back when it is stored, or may wait; or when the patience is over.
  void keep(records::Trial trial);
  /// The last ones: waits for them as long as the patience lasts.
  void finish();
  /// Ends the search: somebody asked for that, or the store stays away.
  StopToken enough() const { return enough_.get_token(); }
  /// How many are not in the store, and why, in a sentence; empty: all are.
  std::string not_stored() const;

private:
  using Clock = std::chrono::steady_clock;
  bool store_waiting();
  bool store_one_by_one();
  void failed(Error const& error);
  void wait_while(size_t more_than, Clock::time_point end);
  bool is_over() const;

  records::TrialStore* store_;
  StopToken stop_;
  KeeperPatience patience_;
  std::stop_source enough_;
  std::stop_callback<std::function<void()>> follow_;
  std::deque<records::Trial> waiting_;
  std::optional<Clock::time_point> failing_since_;
  int refused_ = 0;  ///< that no store takes
  std::string reason_;
};

}  // namespace tw::session
