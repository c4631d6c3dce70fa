// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/paint/level_pen.h"

#include <algorithm>
#include <vector>

namespace tw::paint {

QPen level_pen(Theme const& theme, int level) {
  static std::vector<QList<qreal>> const kDashes{{}, {4.5, 2}, {2.5, 2}, {1, 2}};
  size_t index = size_t(std::clamp(level, 0, 3));
  QPen pen(theme.levels[index], 2);
  if (!kDashes[index].isEmpty()) pen.setDashPattern(kDashes[index]);
  return pen;
}

}  // namespace tw::paint
