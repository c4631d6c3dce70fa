#include "app/shared/devices.h"

#include <future>
#include <sstream>

#include "engine/device/local_device.h"
#include "engine/device/rpc/remote_device.h"
#include "engine/measure/roofs.h"
#include "engine/support/files.h"

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
