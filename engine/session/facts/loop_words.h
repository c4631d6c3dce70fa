/// The kinds of loops in words, for fronts.
#pragma once

#include <span>
#include <string_view>

#include "engine/session/values.h"

namespace tw::session {

/// "serial", or as a program's text has it: "parallel", "vector", "unroll", "bind".
std::string_view name_of(LoopMark mark);

/// What begins a loop in a program's text, of whatever kind.
std::span<std::string_view const> loop_keywords();

}  // namespace tw::session
