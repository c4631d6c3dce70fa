/// A client's worker process and the folder that is its own.
#pragma once

#include <filesystem>

#include "engine/device/rpc/rpc_server.h"
#include "engine/device/rpc/worker_watch.h"
#include "engine/hardware/hardware.h"
#include "engine/support/child_process.h"

namespace tw {

/// Removes the folders of servers that were killed.
void remove_abandoned_folders();

class Worker {
public:
  /// Errors: device_unavailable.
  static Result<Worker> start(RpcServerOptions const& options, WorkerWatch& watch);
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&&) = delete;
  /// Ends the process and what it left behind, then removes the folder with what is in it.
  ~Worker();

  ChildProcess& process() { return process_; }
  /// For which it was ended by the watch; empty: none.
  std::string broken_limit() const { return watch_->broken_limit(process_.pid()); }

private:
  Worker(ChildProcess process, std::filesystem::path folder, WorkerWatch& watch)
      : watch_(&watch), process_(std::move(process)), folder_(std::move(folder)) {}
  WorkerWatch* watch_;
  ChildProcess process_;
  std::filesystem::path folder_;
};

/// What a worker says that it is: one is started for the question. Errors: those of the worker
/// (no_such_hardware), device_unavailable.
Result<Hardware> ask_worker(RpcServerOptions const& options);

}  // namespace tw
