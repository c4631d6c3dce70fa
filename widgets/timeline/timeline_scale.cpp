// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_scale.h"

#include <cmath>

namespace tw {
namespace {

/// 1, 2 or 5 times a power of ten, at least `least`.
double round_up(double least) {
  double power = std::pow(10, std::floor(std::log10(least)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/// With as many decimals as tell it from its neighbours.
QString tick_words(double cycle, double step) {
  auto [unit, letter] = step >= 1e5   ? std::pair(1e6, "M")
                        : step >= 100 ? std::pair(1e3, "k")
                                      : std::pair(1.0, "");
  if (cycle == 0) return "0";
  int decimals = std::max(0, int(std::ceil(std::log10(unit / step) - 1e-9)));
  return QString::number(cycle / unit, 'f', decimals) + letter;
}

}  // namespace

std::vector<TimelineScale::Tick> TimelineScale::ticks(double apart) const {
  std::vector<Tick> found;
  double step = std::max(1.0, round_up(apart / per_cycle()));
  for (double at = std::ceil(from / step) * step; at <= to; at += step)
    found.push_back({x(at), tick_words(at, step)});
  return found;
}

}  // namespace tw
