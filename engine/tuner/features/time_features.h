/// What a target's own model of time says of a point, as columns for trees.
#pragma once

#include <optional>
#include <span>

#include "engine/analysis/time_model.h"

namespace tw {

/// Its time, its arithmetic, and the nearest levels of memory.
inline constexpr size_t kTimeLevels = 4;
inline constexpr size_t kTimeColumns = 2 + kTimeLevels;

/// Logarithms of seconds; NaN for what it does not say.
void fill_times(std::optional<analysis::TimeModel> const& modelled, std::span<float> row);
/// The same, each against the whole time, which is left out: what kernels of any size share.
void fill_time_shares(std::optional<analysis::TimeModel> const& modelled, std::span<float> row);

}  // namespace tw
