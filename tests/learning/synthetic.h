/// Rows of random features, and a function of them that no line fits: what the tests learn.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/learning/features.h"
#include "engine/support/base/random.h"

namespace tw::testing {

/// Like throughput over a tile's size: a hill, a product, a step and a saturation. About 0 .. 1.
inline float hill(float const* x) {
  float tile = std::exp(-8 * (x[0] - 0.3f) * (x[0] - 0.3f));
  float fits = x[1] < 0.6f ? 1.0f : 0.4f;
  return tile * fits * (0.4f + 0.6f * x[2] * x[3]) + 0.2f * std::min(x[4], 0.5f);
}

/// At least five features; of the others nothing depends. `missing`: the share of NaN, which the
/// function sees as they were.
inline TrainingRows hill_rows(size_t count, size_t width, uint64_t seed, double missing = 0) {
  Rng rng(seed);
  TrainingRows rows{.features = {}, .width = width};
  for (size_t i = 0; i < count * width; ++i) rows.features.push_back(float(rng.uniform()));
  for (size_t i = 0; i < count; ++i) rows.targets.push_back(hill(&rows.features[i * width]));
  for (float& x : rows.features)
    if (rng.uniform() < missing) x = std::numeric_limits<float>::quiet_NaN();
  return rows;
}

}  // namespace tw::testing
