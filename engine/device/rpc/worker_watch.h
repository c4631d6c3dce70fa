/// Looks at the workers ten times a second: what no limit of the system bounds, their memory in all
/// and what came of them, is bounded here.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/support/child_process.h"

namespace tw {

struct WorkerLimits {
  int64_t memory_bytes = 0;  ///< resident, of a worker and all that came of it
  int threads = 0;
  int64_t folder_bytes = 16 << 20;
  bool families = true;  ///< workers may start processes: a launcher does, or nothing stops them
  /// This process serves and does nothing else: all of its children are workers, and what they
  /// leave behind is ended.
  bool owns_children = false;
};

class WorkerWatch {
public:
  explicit WorkerWatch(WorkerLimits limits);
  ~WorkerWatch();
  WorkerWatch(WorkerWatch const&) = delete;

  /// As start_device_process; from now on it is looked at.
  Result<ChildProcess> start(std::vector<std::string> command,
                             std::vector<std::string> const& environment,
                             std::filesystem::path const& folder);
  /// The limit that the worker broke, for which it was ended: "it took 600 MB of memory; ...";
  /// empty: none.
  std::string broken_limit(pid_t worker);
  /// Of a worker that has ended: ends what it left behind.
  void forget(pid_t worker);

private:
  struct Watched {
    int descriptor = -1;  ///< of the process: its number may be another's by then
    std::filesystem::path folder;
    std::set<uint64_t> hidden;  ///< when it was looked at last
    std::string broken;
  };

  void look_all(std::stop_token stop);
  std::string judge(pid_t worker, Watched& watched,
                    std::multimap<pid_t, pid_t> const& children) const;
  /// Ends the children that are no workers. Called under the lock.
  void end_orphans();

  WorkerLimits limits_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::map<pid_t, Watched> workers_;
  std::jthread looker_;
};

}  // namespace tw
