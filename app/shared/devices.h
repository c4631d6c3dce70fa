/// The devices that a person may choose from: this machine and those of the list.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/device/device.h"
#include "engine/device/registry.h"

namespace tw {

/// Connects with the first call. Errors: those of reading its files and of RemoteDevice::create.
Result<std::unique_ptr<Device>> open_registered(DeviceEntry const& entry);

struct DeviceState {
  DeviceEntry entry;  ///< of this machine: the name only
  std::optional<Hardware> hardware;
  std::optional<Roofs> roofs;    ///< when they were measured before
  double answer_ms = 0;          ///< a question and its answer, once connected
  std::optional<Error> failure;  ///< instead of hardware
};

/// Asks one device what it is.
DeviceState ask_device(DeviceEntry const& entry, std::filesystem::path const& cache_folder);
/// This machine, then the list, all asked at once: it takes as long as the slowest, at most some
/// seconds.
std::vector<DeviceState> ask_devices(std::vector<DeviceEntry> const& entries,
                                     std::filesystem::path const& cache_folder);

}  // namespace tw
