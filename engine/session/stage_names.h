/// Stages of a kernel's code by their names.
#pragma once

#include <string>

namespace tw::session {

/// What a stage is called now: passes had other names before.
std::string stage_called(std::string const& key);

}  // namespace tw::session
