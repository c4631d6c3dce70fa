/// How well predictions order what was measured. In all of these, higher is better: `truth` is
/// throughput or the like, and `predicted` may have any scale.
#pragma once

#include <cstddef>
#include <span>

namespace tw {

/// The mean over n = 1..k of the share of the best n that is among the n predicted best, 0..1. A
/// search that measures k at a time wants this. Where predictions are equal the worse is taken
/// first, so that a model which says nothing has no luck. `k` above the number of rows is that
/// number; 1 for no rows.
double average_recall(std::span<float const> predicted, std::span<float const> truth, size_t k);

/// Kendall's tau-b: 1 the same order, -1 the reverse, about 0 for no relation; pairs that are equal
/// on one side count for less. 0 where either side is constant. Takes n log n steps (Knight 1966).
double kendall_tau(std::span<float const> predicted, std::span<float const> truth);

/// The best of all less the best of the k predicted best, in the unit of `truth`: what measuring
/// only those k loses. Equal predictions as above; 0 for no rows.
double top_regret(std::span<float const> predicted, std::span<float const> truth, size_t k);

}  // namespace tw
