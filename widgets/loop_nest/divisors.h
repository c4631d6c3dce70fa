// SPDX-License-Identifier: GPL-3.0-or-later
/// Factors that a loop can be split by without a remainder.
#pragma once

#include <cstdint>
#include <vector>

namespace tw::loop_nest_metrics {

/// All divisors, rising: a few hundred even for the largest extents.
std::vector<int64_t> divisors_of(int64_t extent);
/// The divisor of `extent` nearest to `wanted`, by ratio.
int64_t nearest_divisor(int64_t extent, double wanted);
/// The divisor after `from` (direction 1) or before it (-1); `from` when there is none.
int64_t next_divisor(int64_t extent, int64_t from, int direction);

}  // namespace tw::loop_nest_metrics
