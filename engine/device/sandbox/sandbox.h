/// Limits that a process sets on itself before it runs code from elsewhere: what a kernel needs is
/// allowed, and nothing besides.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/device/driver_profile.h"
#include "engine/support/base/error.h"

namespace tw {

struct SandboxOptions {
  std::filesystem::path folder;  ///< becomes the working folder
  int64_t memory_bytes = 0;      ///< of tensors; the process gets somewhat more
  int socket = -1;               ///< to the client; stays open, and so do 0 to 2
  /// Where another process owns the driver: the way to it, which stays open, too.
  int driver_socket = -1;
  pid_t driver = -1;
};

/// Errors: not_confined. A limit that the system does not know is left out; see `open_ways`.
Status enter_sandbox(SandboxOptions const& confinement);

/// The same for the process that owns a driver: `profile` says what it may besides. It also reads
/// and writes files in its folder.
Status enter_driver_sandbox(SandboxOptions const& confinement, DriverProfile const& profile);

/// What this system does not stop a confined process from, for people: "reading the files that
/// this user may read: the system has no Landlock". Empty: nothing that is known.
std::vector<std::string> open_ways();
/// The same of the process that owns a driver.
std::vector<std::string> open_ways(DriverProfile const& profile);

/// What a confined process takes besides its tensors, in resident bytes: code, stacks, messages.
constexpr int64_t kBesidesTensors = int64_t(256) << 20;
/// The same where there is a driver, which has a compiler in it.
constexpr int64_t kBesidesTensorsOfDriver = int64_t(1) << 30;
/// What a driver may write.
constexpr int64_t kMostFolderBytesOfDriver = int64_t(512) << 20;
/// A kernel runs on 1,024 threads at most.
constexpr int kMostWorkerThreads = 1100;

}  // namespace tw
