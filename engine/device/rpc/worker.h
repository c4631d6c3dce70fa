/// A client's worker process and the folder that is its own.
#pragma once

#include <filesystem>

#include "engine/device/child_process.h"
#include "engine/device/rpc/rpc_server.h"

namespace tw {

/// Removes the folders of servers that were killed.
void remove_abandoned_folders();

class Worker {
public:
  /// Errors: device_unavailable.
  static Result<Worker> start(RpcServerOptions const& options);
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&&) = delete;
  /// Ends the process, then removes the folder with what is in it.
  ~Worker();

  ChildProcess& process() { return process_; }

private:
  Worker(ChildProcess process, std::filesystem::path folder)
      : process_(std::move(process)), folder_(std::move(folder)) {}
  ChildProcess process_;
  std::filesystem::path folder_;
};

}  // namespace tw
