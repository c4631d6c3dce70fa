#include "engine/session/state/known_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/backend/backend.h"
#include "engine/backend/target_table.h"
#include "engine/device/local_device.h"
#include "engine/device/logged_device.h"
#include "engine/device/registry.h"
#include "engine/support/base/quantities.h"

namespace tw::session {

std::vector<std::string> known_devices(Options const& options) {
  std::vector<std::string> names = {kLocalDeviceName};
  if (options.device_names)
    for (std::string& name : options.device_names()) names.push_back(std::move(name));
  return names;
}

Status check_device(Options const& options, std::string const& name) {
  if (name == kLocalDeviceName) return {};
  if (!options.open_device)
    return bad_input("no_devices", "no device other than this machine is known");
  // As another target: who opens it knows which there are.
  if (is_this_machine(name) || is_described(name)) return {};
  std::vector<std::string> known = known_devices(options);
  if (!options.device_names || std::ranges::find(known, name) != known.end()) return {};
  return bad_input("unknown_device", fmt::format("there is no device '{}'; there are {}", name,
                                                 fmt::join(known, ", ")));
}

Status check_attached(std::string const& name) {
  if (!is_described(name)) return {};
  TRY_ASSIGN(Hardware hardware, target_hardware(name));
  return environment_failed("not_attached", fmt::format("no {} is attached: '{}' is only "
                                                        "described, so nothing runs there",
                                                        hardware.name, name));
}

Result<ChosenDevice> open_device(Options const& options, std::string const& name, StopToken stop) {
  TRY(check_device(options, name));
  if (name == kLocalDeviceName) return this_machine(options);
  return options.open_device(name, stop);
}

ChosenDevice this_machine(Options const& options) {
  std::shared_ptr<Device> device = std::make_shared<LocalDevice>(LocalDeviceOptions{
      .program = options.device_program, .target = options.backend->target().name});
  if (options.local_log) device = std::make_shared<LoggedDevice>(device, options.local_log);
  return {"", options.backend, device};
}

int threads_on(Backend const& backend, int wanted) {
  return wanted > 0 ? wanted : backend.target().hardware.unit().count;
}

TriedOn tried_on(std::string const& title, Backend const& backend, int threads) {
  return {title.empty() ? kLocalDeviceName : title,
          fmt::format("{}, {}", backend.target().hardware.name,
                      count_text(threads_on(backend, threads), "thread"))};
}

}  // namespace tw::session
