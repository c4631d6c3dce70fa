/// What single lines of a script do, found by replaying it up to them.
#pragma once

#include "engine/session/line_effects.h"
#include "engine/session/views/script_views.h"

namespace tw::session {

/// From the entry of the history on that has most of the lines before it.
LineEffect effect_of_line(History const& history, std::string const& text, int line,
                          MacroSet const* macros, StopToken stop);

}  // namespace tw::session
