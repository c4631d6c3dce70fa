/// How far apart the samples of a time lie, as one reads it beside the time.
#pragma once

#include <string>
#include <vector>

namespace tw::session {

/// (greatest - least) / least; 0: there are none.
double spread_of(std::vector<double> const& samples);

/// "±4.2 %"; "1 sample" of a time that nothing was compared with; "to 2.4 ms" where a part of the
/// least time would say nothing. `spread`: (greatest - least) / least.
std::string spread_words(double least_ms, double spread);

/// "±4.2 % of 9 samples", "to 2.4 ms in 9 samples": where there is room. Without their number where
/// that is not known (0).
std::string samples_words(double least_ms, double spread, int samples);

}  // namespace tw::session
