#include "engine/learning/acquisition.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tw {

double expected_improvement(double mean, double deviation, double best) {
  double above = mean - best;
  if (!(deviation > 0)) return std::max(above, 0.0);
  double z = above / deviation;
  double density = std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  double share_below = std::erfc(-z / std::numbers::sqrt2) / 2;
  return std::max(above * share_below + deviation * density, 0.0);
}

double upper_confidence_bound(double mean, double deviation, double deviations) {
  return mean + deviations * deviation;
}

}  // namespace tw
