/// Scripts that are being written, as values.
#pragma once

#include <expected>

#include "engine/history/history.h"
#include "engine/schedule/macros/macro_set.h"
#include "engine/session/script.h"
#include "engine/support/base/job.h"

namespace tw::session {

/// A step of a script, or a macro's; `macros` may be null.
std::expected<Schedule, Refusal> taken(Schedule const& schedule, Step const& step,
                                       MacroSet const* macros);

/// Lines without comments and blanks around them, empty ones left out; with 1-based line numbers.
std::vector<std::pair<int, std::string>> step_lines(std::string const& text);

/// The deepest entry on the way to the current one whose script the text begins with, and how many
/// of the text's step lines that is.
std::pair<int, size_t> shared_beginning(History const& history, std::string const& text);

ScriptReview script_review(History const& history, std::string const& text, MacroSet const* macros,
                           StopToken stop);

}  // namespace tw::session
