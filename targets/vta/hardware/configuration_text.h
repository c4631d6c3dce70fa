/// The settings of a configuration one by one, for its own file and for the head of a stream.
#pragma once

#include <vector>

#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// "log_block", "5".
struct Setting {
  std::string name, value;
};
/// All of them, in their order; only those that differ from the default on request.
std::vector<Setting> settings_of(Configuration const& configuration, bool only_changed);
/// Errors: illegal_configuration, for a name or value that there is none of.
Status set(Configuration& configuration, std::string_view name, std::string_view value);

}  // namespace tw::vta
