// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/loop_nest/divisors.h"

#include <algorithm>
#include <cmath>

namespace tw::loop_nest_metrics {

std::vector<int64_t> divisors_of(int64_t extent) {
  std::vector<int64_t> low, high;
  for (int64_t d = 1; d <= extent / d && d <= (1 << 20); ++d)
    if (extent % d == 0) {
      low.push_back(d);
      if (d != extent / d) high.push_back(extent / d);
    }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

int64_t nearest_divisor(int64_t extent, double wanted) {
  auto distance = [&](int64_t d) { return std::fabs(std::log(double(d) / wanted)); };
  return std::ranges::min(divisors_of(extent), {}, distance);
}

int64_t next_divisor(int64_t extent, int64_t from, int direction) {
  std::vector<int64_t> all = divisors_of(extent);
  auto at = std::ranges::lower_bound(all, from);
  if (direction > 0) {
    if (at != all.end() && *at == from) ++at;
    return at == all.end() ? from : *at;
  }
  return at == all.begin() ? from : *std::prev(at);
}

}  // namespace tw::loop_nest_metrics
