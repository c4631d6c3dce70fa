/// Devices that nobody has, as sessions of tests open them.
#pragma once

#include "engine/backend/target_table.h"
#include "engine/device/described_device.h"
#include "tests/support/sessions.h"

namespace tw::testing {

/// "cuda:h100"
inline Result<session::ChosenDevice> described_device(std::string const& name) {
  TRY_ASSIGN(Hardware hardware, target_hardware(name));
  TRY_ASSIGN(auto backend, create_backend(hardware));
  return session::ChosenDevice{name, backend, std::make_shared<DescribedDevice>(hardware), false};
}

inline session::Options with_described_devices(bool measure, int threads = 1) {
  session::Options options = session_options(measure, threads);
  options.open_device = [](std::string const& name, StopToken) { return described_device(name); };
  options.device_names = [] { return std::vector<std::string>(); };
  return options;
}

}  // namespace tw::testing
