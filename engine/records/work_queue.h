/// The work of a team: jobs in slices, which workers on any machine take on lease, and the devices
/// that take part. Workers may die at any time: what they had on lease is others' when it expires.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw::records {

struct TeamJob {
  std::string name;      ///< also of its trials in the store
  int priority = 0;      ///< jobs of a higher one go first
  std::string machine;   ///< whose times count: only such devices take part
  std::string target;    ///< what exactly is compiled for
  std::string request;   ///< what to search for, in the search's own words
  std::string model;     ///< as bytes, in the search's own words
  bool is_open = false;  ///< false: it has ended
};
/// A slice of the search for one kernel.
struct WorkSlice {
  int kernel = 0;
  int trials = 0;
};
struct JobProgress {
  std::string name;
  int priority = 0;
  bool is_open = false;
  int slices = 0, done = 0, leased = 0;
  int left_out = 0;          ///< of those that are done: their kernel's search had ended
  int trials = 0, made = 0;  ///< of all slices: to make, and made so far
  double served = 0;  ///< seconds of devices, since the least served job beside it when it came
};

/// A slice that a worker has on lease.
struct HeldSlice {
  std::string job, worker;
  int kernel = 0;
  int trials = 0, made = 0;
  double seconds_left = 0;  ///< until the lease expires, unless it is renewed
};

/// What a worker has until it expires; it is then no longer its own.
struct Lease {
  int64_t number = 0;
  int64_t slice = 0;
  std::string job;
  int kernel = 0;
  int trials = 0;  ///< that are left to make
};
struct LeaseRequest {
  std::string worker;   ///< a name for people
  std::string machine;  ///< of the device
  std::string target;
  std::string job;      ///< empty: any
  double seconds = 60;  ///< until it expires, unless it is renewed
};

struct TeamDevice {
  std::string name;     ///< one row for each: the worker's
  std::string machine;  ///< what it is
  std::string target;
  std::string doing;       ///< a job's name; empty: it waits
  double seconds_ago = 0;  ///< when it was last heard of
};

/// Used by one thread at a time; threads and processes each open their own. A lost connection is
/// made again once in each call. Errors of all: store_away, store_lost, store_failed.
class WorkQueue {
public:
  virtual ~WorkQueue() = default;

  /// A job of that name that was left half done goes on: it keeps its slices. One that had ended
  /// gets these. Errors: job_taken (the name is of a job with another model).
  virtual Status add(TeamJob const& job, std::span<WorkSlice const> slices) = 0;
  /// With its model.
  virtual Result<std::optional<TeamJob>> job(std::string const& name) = 0;
  virtual Result<std::vector<JobProgress>> jobs() = 0;
  virtual Result<std::optional<JobProgress>> progress(std::string const& name) = 0;
  /// Those of all jobs, by the job and the worker.
  virtual Result<std::vector<HeldSlice>> held() = 0;
  /// Nobody gets a slice of it any more, and leases are not renewed.
  virtual Status end(std::string const& name) = 0;
  /// The same of one kernel: there is nothing more to find. What is not made of its slices counts
  /// as left out.
  virtual Status end_kernel(std::string const& name, int kernel) = 0;

  /// A slice of the least served job of the highest priority; nothing: none is free.
  virtual Result<std::optional<Lease>> take(LeaseRequest const& request) = 0;
  /// `made`: trials of it so far, which nobody makes again. False: it has expired or ended.
  virtual Result<bool> renew(Lease const& lease, int made, double seconds) = 0;
  /// Its slice is done; or, where it is not, free for others. Of one that has expired nothing.
  virtual Status give_back(Lease const& lease, int made, bool is_done) = 0;
  /// Whether this lease alone tries that point of its kernel: who asks first, for as long as the
  /// job lasts. Points of a worker that was killed are not tried by others.
  virtual Result<bool> claim(Lease const& lease, std::string const& point) = 0;
  /// Until there may be work, or something ended; false: the time is over.
  virtual Result<bool> wait(std::chrono::milliseconds time) = 0;

  /// This device is there.
  virtual Status here(TeamDevice const& device) = 0;
  virtual Status leave(std::string const& device) = 0;
  virtual Result<std::vector<TeamDevice>> devices() = 0;
};

/// On the server of the store at this URL. Errors: no_team (the store is a file), those of opening
/// a store.
Result<std::unique_ptr<WorkQueue>> open_work_queue(std::string const& url,
                                                   int milliseconds_to_wait = 10'000);

}  // namespace tw::records
