/// Timelines as text, both ways, and as a trace that other viewers open.
#pragma once

#include <string>
#include <string_view>

#include "engine/hardware/timeline.h"
#include "engine/support/base/error.h"

namespace tw {

/// Whether every index is one, every lane's spans and every counter's steps are in the order of
/// time. Errors: bad_timeline, with the first thing that is wrong.
Status check(Timeline const& timeline);

/// "tilewright timeline 1", a line for each thing, "end".
std::string to_text(Timeline const& timeline);
/// Errors: not_a_timeline, bad_line (with its place), cut_off, bad_timeline.
Result<Timeline> parse_timeline(std::string_view text, std::string const& file = "");

/// Trace Event Format (JSON), which Perfetto and chrome://tracing open: a thread for each lane, a
/// flow for each token, a counter for each counter. A cycle is as long as the clock says, or a
/// microsecond where it says nothing.
std::string to_chrome_trace(Timeline const& timeline);

}  // namespace tw
