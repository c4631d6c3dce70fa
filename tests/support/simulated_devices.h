/// Devices that this machine simulates, as sessions of tests open them.
#pragma once

#include "engine/backend/target_table.h"
#include "engine/device/local_device.h"
#include "tests/support/paths.h"
#include "tests/support/sessions.h"

namespace tw::testing {

/// "local:vta:pynq" by the server that was built beside the tests.
inline Result<session::ChosenDevice> simulated_device(std::string const& name) {
  std::string target = name.substr(name.find(':') + 1);
  TRY_ASSIGN(Hardware hardware, target_hardware(target));
  TRY_ASSIGN(auto backend, create_backend(hardware));
  return session::ChosenDevice{
      name, backend,
      std::make_shared<LocalDevice>(LocalDeviceOptions{testing::built("/bin/tw-device"), target})};
}

inline session::Options with_simulated_devices(bool measure) {
  session::Options options = session_options(measure, 1);
  options.open_device = [](std::string const& name, StopToken) { return simulated_device(name); };
  options.device_names = [] { return std::vector<std::string>(); };
  return options;
}

}  // namespace tw::testing
