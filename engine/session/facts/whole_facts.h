/// Which facts count whole things: whoever is asked for one gives it exactly, while a ratio or a
/// time is read off a scale.
#pragma once

#include <string_view>

namespace tw::session {

/// A number that counts something: loops, iterations, bytes, instructions.
bool is_whole(std::string_view fact);

}  // namespace tw::session
