/// Hardware and roofs as JSON text, for messages and for the file of cached measurements.
#pragma once

#include <string>
#include <string_view>

#include "engine/hardware/hardware.h"

namespace tw {

std::string to_json_text(Hardware const& hardware);
std::string to_json_text(Roofs const& roofs);

/// Errors: bad_hardware_text.
Result<Hardware> parse_hardware(std::string_view json);
/// Errors: bad_roofs_text (also for rates that are not positive numbers).
Result<Roofs> parse_roofs(std::string_view json);

}  // namespace tw
