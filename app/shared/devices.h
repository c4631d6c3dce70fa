/// The devices that a person may choose from: this machine and those of the list.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/device/device.h"
#include "engine/device/registry.h"
#include "engine/session/session.h"

namespace tw {

/// Connects with the first call. Errors: those of reading its files and of RemoteDevice::create.
Result<std::unique_ptr<Device>> open_registered(DeviceEntry const& entry);

/// Adds it to the list once its address and files can be used; file names are made absolute.
/// Whether it answers is no condition. Errors: those of `open_registered` and `add_device`.
Status add_checked_device(std::filesystem::path const& list, DeviceEntry& entry);

/// For a session: asks the device of that name what it is. Errors: unknown_device, those of asking.
Result<session::ChosenDevice> choose_device(std::filesystem::path const& list,
                                            std::string const& name, StopToken stop);

struct DeviceState {
  DeviceEntry entry;  ///< of this machine: the name only
  std::optional<Hardware> hardware;
  std::optional<Roofs> roofs;    ///< when they were measured before
  double answer_ms = 0;          ///< a question and its answer, once connected
  std::optional<Error> failure;  ///< instead of hardware
};

/// "AMD EPYC, x86_64-linux-gnu, 2 cores, 23.5 GB"
std::string machine_text(Hardware const& hardware);
/// "236 GFLOP/s, memory 46.1 GB/s"
std::string roofs_text(Roofs const& roofs);

/// Asks one device what it is.
DeviceState ask_device(DeviceEntry const& entry, std::filesystem::path const& cache_folder);
/// This machine, then the list, all asked at once: it takes as long as the slowest, at most some
/// seconds.
std::vector<DeviceState> ask_devices(std::vector<DeviceEntry> const& entries,
                                     std::filesystem::path const& cache_folder);

}  // namespace tw
