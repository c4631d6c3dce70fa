/// An accelerator as the product describes machines, and back.
#pragma once

#include "engine/hardware/hardware.h"
#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

inline constexpr char kVtaTarget[] = "vta";  ///< `Hardware::target`
inline constexpr char kConfigurationWord[] = "configuration";
inline constexpr char kDriverWord[] = "driver";  ///< kSimulatedDriver or "board"
inline constexpr char kSimulatedDriver[] = "simulator";

/// All settings that are not at their default, on one line: "name=pynq log_block=3".
std::string to_line(Configuration const& configuration);
/// Errors: illegal_configuration.
Result<Configuration> configuration_of_line(std::string_view line);

/// One core, the memories "acc", "inp", "wgt" and "uop", which nothing fills by itself, and "DRAM".
Hardware describe(Configuration const& configuration);
/// Errors: illegal_configuration, also for what is no VTA.
Result<Configuration> configuration_of(Hardware const& hardware);

}  // namespace tw::vta
