/// What the process of a driver may do that serves a client from elsewhere. A kernel of a processor
/// needs nothing of the system; a driver reads its libraries, speaks to its device, compiles.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

/// Paths of what is not there do not matter; of a folder all is meant that lies in it, and one that
/// ends with a star stands for all names in its folder that begin so.
struct DriverProfile {
  std::vector<std::string> reads;        ///< files and folders that are read
  std::vector<std::string> programs;     ///< that are read and may be started
  std::vector<std::string> devices;      ///< files that are read, written and given orders (ioctl)
  std::vector<std::string> environment;  ///< variables of whoever serves that it is told
  std::vector<std::string> settings;     ///< "NAME=value" each, whatever that one's are
  std::vector<std::string> own_folder;   ///< variables that name the one folder where it writes
  /// What a kernel of a client may do through it, for people; see `open_ways`.
  std::vector<std::string> open_ways;
  /// Whether these can be a library for it: asked before the driver's process gets them. Errors:
  /// those of `DeviceRuntime::load`.
  Status (*check_library)(std::span<std::byte const> library) = nullptr;
};

}  // namespace tw
