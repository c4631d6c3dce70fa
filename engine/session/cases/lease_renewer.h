/// Keeps a lease while its slice is searched, from a thread of its own: a trial may take longer
/// than a lease lasts.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/records/work_queue.h"
#include "engine/session/cases/team_cases.h"

namespace tw::session {

class LeaseRenewer {
public:
  /// Asks `lost` to stop when the lease is no longer ours.
  LeaseRenewer(TeamRequest const& team, records::Lease lease, records::TeamDevice device,
               std::stop_source& lost);
  ~LeaseRenewer();
  LeaseRenewer(LeaseRenewer const&) = delete;

  std::atomic<int> made = 0;  ///< trials that are in the store

private:
  void keep(std::stop_token stop);

  TeamRequest const& team_;
  records::Lease lease_;
  records::TeamDevice device_;
  std::stop_source& lost_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;  ///< the last: it begins at once
};

}  // namespace tw::session
