/// What a conversion says when an operand is not constant, which it becomes when the model runs.
#pragma once

#include "engine/support/base/error.h"

namespace tw::ops {

inline constexpr char kKnownLate[] = "known_late";
/// "the start of the slice is computed while the model runs"
std::unexpected<Error> known_late(std::string const& what);

}  // namespace tw::ops
