#include "app/shared/devices.h"

#include <fmt/format.h>

#include <future>
#include <sstream>

#include "engine/device/local_device.h"
#include "engine/device/rpc/remote_device.h"
#include "engine/measure/roofs.h"
#include "engine/support/files.h"
#include "targets/cpu/compiler/cpu_backend.h"

namespace tw {
namespace {

using namespace std::chrono;

/// The first word of the file.
Result<std::string> read_token(std::string const& file) {
  TRY_ASSIGN(std::string text, read_file(file, 1 << 16));
  std::istringstream stream(text);
  std::string token;
  stream >> token;
  if (token.empty()) return bad_input("bad_token", "the file of the token is empty", {file});
  return token;
}

}  // namespace

Result<std::unique_ptr<Device>> open_registered(DeviceEntry const& entry) {
  if (entry.name == kLocalDeviceName) return std::make_unique<LocalDevice>(LocalDeviceOptions{});
  RemoteDeviceOptions options{.address = entry.address};
  if (!entry.certificate_file.empty()) {
    TRY_ASSIGN(options.certificate, read_file(entry.certificate_file, 1 << 20));
  }
  if (!entry.token_file.empty()) {
    TRY_ASSIGN(options.token, read_token(entry.token_file));
  }
  TRY_ASSIGN(std::unique_ptr<Device> device, RemoteDevice::create(std::move(options)));
  return device;
}

Status add_checked_device(std::filesystem::path const& list, DeviceEntry& entry) {
  for (std::string* file : {&entry.certificate_file, &entry.token_file})
    if (!file->empty()) *file = std::filesystem::absolute(*file).lexically_normal().string();
  TRY(open_registered(entry));
  return add_device(list, entry);
}

Result<session::ChosenDevice> choose_device(std::filesystem::path const& list,
                                            std::string const& name, StopToken stop) {
  session::ChosenDevice chosen{.title = name, .backend = {}, .device = {}};
  TRY_ASSIGN(DeviceEntry entry, find_device(list, name));
  TRY_ASSIGN(chosen.device, open_registered(entry));
  TRY_ASSIGN(Hardware hardware, chosen.device->describe({.stop = stop}));
  TRY_ASSIGN(chosen.backend, create_cpu_backend(hardware));
  return chosen;
}

std::string machine_text(Hardware const& hardware) {
  return fmt::format("{}, {}, {} core{}, {:.1f} GB", hardware.name, hardware.triple, hardware.cores,
                     hardware.cores == 1 ? "" : "s", double(hardware.memory_bytes) / (1 << 30));
}

std::string roofs_text(Roofs const& roofs) {
  return fmt::format("{:.0f} GFLOP/s, memory {:.1f} GB/s", roofs.f32_vector.all_cores,
                     roofs.memory.back().load.all_cores);
}

DeviceState ask_device(DeviceEntry const& entry, std::filesystem::path const& cache_folder) {
  DeviceState state{.entry = entry};
  auto device = open_registered(entry);
  CallOptions options{.timeout = seconds(4)};
  auto hardware =
      device ? (*device)->describe(options) : Result<Hardware>(std::unexpected(device.error()));
  if (!hardware) {
    state.failure = hardware.error();
    return state;
  }
  auto before = steady_clock::now();
  (void)(*device)->describe(options);
  state.answer_ms = duration<double, std::milli>(steady_clock::now() - before).count();
  state.hardware = *hardware;
  if (auto roofs = kept_roofs(cache_folder, *hardware)) state.roofs = *roofs;
  return state;
}

std::vector<DeviceState> ask_devices(std::vector<DeviceEntry> const& entries,
                                     std::filesystem::path const& cache_folder) {
  std::vector<DeviceEntry> all{{.name = kLocalDeviceName}};
  all.insert(all.end(), entries.begin(), entries.end());
  std::vector<std::future<DeviceState>> asked;
  for (DeviceEntry const& entry : all)
    asked.push_back(std::async(std::launch::async,
                               [entry, &cache_folder] { return ask_device(entry, cache_folder); }));
  std::vector<DeviceState> states;
  for (auto& one : asked) states.push_back(one.get());
  return states;
}

}  // namespace tw
