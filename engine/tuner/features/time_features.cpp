#include "engine/tuner/features/time_features.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tw {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

float logarithm(double seconds) { return seconds > 0 ? float(std::log2(seconds)) : kMissing; }

}  // namespace

void fill_times(std::optional<analysis::TimeModel> const& modelled, std::span<float> row) {
  std::ranges::fill(row, kMissing);
  if (!modelled) return;
  row[0] = logarithm(modelled->seconds);
  row[1] = logarithm(modelled->arithmetic_seconds);
  for (size_t i = 0; i < std::min(kTimeLevels, modelled->levels.size()); ++i)
    row[2 + i] = logarithm(modelled->levels[i].seconds);
}

void fill_time_shares(std::optional<analysis::TimeModel> const& modelled, std::span<float> row) {
  fill_times(modelled, row);
  for (size_t i = 1; i < row.size(); ++i) row[i] -= row[0];
  row[0] = kMissing;
}

}  // namespace tw
