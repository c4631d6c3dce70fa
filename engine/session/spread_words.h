/// How far apart the samples of a time lie, as one reads it beside the time.
#pragma once

#include <string>

namespace tw::session {

/// "±4.2 %"; "1 sample" of a time that nothing was compared with; "to 2.4 ms" where a part of the
/// least time would say nothing. `spread`: (greatest - least) / least.
std::string spread_words(double least_ms, double spread);

}  // namespace tw::session
