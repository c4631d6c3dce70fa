/// The devices that a person may choose from: this machine and those of the list.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/device/device.h"
#include "engine/device/device_log.h"
#include "engine/device/registry.h"
#include "engine/session/session.h"

namespace tw {

/// Connects with the first call. Errors: those of reading its files and of RemoteDevice::create.
Result<std::unique_ptr<Device>> open_registered(DeviceEntry const& entry);
/// The same, with what happens written into `log`, where that is not null.
Result<std::shared_ptr<Device>> open_logged(DeviceEntry const& entry,
                                            std::shared_ptr<DeviceLog> const& log);

/// Adds it to the list once its address and files can be used; file names are made absolute.
/// Whether it answers is no condition. Errors: those of `open_registered` and `add_device`.
Status add_checked_device(std::filesystem::path const& list, DeviceEntry& entry);

/// Of the list, without this machine; none where it cannot be read.
std::vector<std::string> device_names(std::filesystem::path const& list);

/// What this machine can be besides itself: "local:vta:pynq".
std::vector<std::string> simulated_device_names();

/// For a session: asks the device of that name what it is. Errors: unknown_device, those of asking.
Result<session::ChosenDevice> choose_device(std::filesystem::path const& list,
                                            std::string const& name, StopToken stop,
                                            std::shared_ptr<DeviceLog> const& log = nullptr);

/// A log for each device, made when it is first asked for; callable from any thread.
class DeviceLogs {
public:
  std::shared_ptr<DeviceLog> of(std::string const& device);

private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<DeviceLog>> logs_;
};

struct DeviceState {
  DeviceEntry entry;  ///< of this machine: the name only
  std::optional<Hardware> hardware;
  std::optional<Roofs> roofs;  ///< measured before, or of what the device is
  bool has_roofs = true;       ///< that can be measured: not of what is, or can be, simulated
  double connect_ms = 0;       ///< until the first answer: a worker process is started there
  double answer_ms = 0;        ///< a question and its answer, once connected: the least
  double answer_most_ms = 0;   ///< the most of the same few
  std::optional<DeviceStatus> status;  ///< where the device tells
  double clock_ahead_seconds = 0;      ///< its clock less this machine's, by `status`
  double clock_within_seconds = 0;     ///< half of what the answer took: it is no more exact
  std::optional<Error> failure;        ///< instead of hardware
};

/// "AMD EPYC, x86_64-linux-gnu, 2 cores, 23.5 GB"
std::string machine_text(Hardware const& hardware);
/// Of what the machine mostly computes with.
struct MainRoof {
  std::string type, unit;  ///< "f32", "GFLOP/s"; "i8", "GOP/s"
  Rate rate;
};
MainRoof main_roof(Roofs const& roofs);
/// "236 GFLOP/s, memory 46.1 GB/s"; "51.2 GOP/s" where the machine is for integers
std::string roofs_text(Roofs const& roofs);

struct AskOptions {
  std::filesystem::path cache_folder;        ///< where measured roofs are kept
  std::filesystem::path local_program = {};  ///< that runs kernels here; empty: beside this program
  std::shared_ptr<DeviceLogs> logs = {};     ///< null: nothing is written down
};
/// Asks one device what it is. Of what this machine is besides itself ("local:vta:pynq") the target
/// says so.
DeviceState ask_device(DeviceEntry const& entry, AskOptions const& options);
/// This machine, then the list, all asked at once: it takes as long as the slowest, at most some
/// seconds.
std::vector<DeviceState> ask_devices(std::vector<DeviceEntry> const& entries,
                                     AskOptions const& options);

}  // namespace tw
