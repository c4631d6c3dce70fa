#include "engine/session/spread_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/support/base/quantities.h"

namespace tw::session {

double spread_of(std::vector<double> const& samples) {
  if (samples.empty()) return 0;
  auto [least, greatest] = std::ranges::minmax(samples);
  return least > 0 ? (greatest - least) / least : 0;
}

std::string spread_words(double least_ms, double spread) {
  constexpr double kWide = 0.25;
  if (spread <= 0) return "1 sample";  // two never take the same time to the nanosecond
  if (spread < kWide) return "±" + percent_text(spread);
  return "to " + milliseconds_text(least_ms * (1 + spread));
}

std::string samples_words(double least_ms, double spread, int samples) {
  std::string words = spread_words(least_ms, spread);
  if (samples < 2 || spread <= 0) return words;
  return fmt::format("{} {} {} samples", words, words.starts_with("to ") ? "in" : "of", samples);
}

}  // namespace tw::session
