/// What a machine mostly computes with.
#pragma once

#include <string>
#include <string_view>

#include "engine/hardware/hardware.h"

namespace tw::analysis {

/// "f32", or the type of the machine's first roof where it has none for that.
std::string counted_type(Roofs const& roofs);
/// "GFLOP/s" of floats, "GOP/s" of integers.
std::string arithmetic_unit(std::string_view type);

}  // namespace tw::analysis
