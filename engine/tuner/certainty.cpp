#include "engine/tuner/certainty.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tw {
namespace {

constexpr double kDoubt = 0.005;

/// How likely `heads` or more of `tosses` are.
double at_least(int heads, int tosses) {
  double probability = 0, one = std::pow(0.5, tosses);  // of exactly 0
  for (int k = 0; k <= tosses; ++k) {
    if (k >= heads) probability += one;
    one *= double(tosses - k) / double(k + 1);
  }
  return probability;
}

}  // namespace

double upper_median(std::vector<double> samples) {
  std::ranges::sort(samples);
  auto count = int(samples.size());
  for (int rank = 1; rank <= count; ++rank)
    if (at_least(rank, count) <= kDoubt) return samples[size_t(rank) - 1];
  return std::numeric_limits<double>::infinity();
}

bool is_certainly_faster(std::vector<double> const& ratios) {
  if (ratios.empty()) return false;
  auto [least, most] = std::ranges::minmax(ratios);
  if (least == most) return most < 1;
  return upper_median(ratios) < 1 - kLeastGain;
}

}  // namespace tw
