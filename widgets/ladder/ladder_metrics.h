// SPDX-License-Identifier: GPL-3.0-or-later
/// Sizes of the ladder, in logical pixels, and how a loop is called in it.
#pragma once

#include <QString>
#include <algorithm>
#include <cmath>

#include "engine/session/values.h"

namespace tw::ladder {

inline constexpr double kRow = 38, kBar = 28, kHead = 44, kLeft = 24, kIndent = 13, kGraph = 184;

inline double bar_width(int64_t extent) {
  return std::min(92 + 34 * std::log2(double(std::max<int64_t>(extent, 1))), 420.0);
}

inline QString shown_name(session::LoopBar const& bar) {
  QString name = QString::fromStdString(bar.name);
  switch (bar.kind) {
    case session::AxisKind::kReduce:
    case session::AxisKind::kMixed:
      return QStringLiteral("Σ ") + name;
    case session::AxisKind::kOrdered:
      return QStringLiteral("↻ ") + name;
    case session::AxisKind::kOpaque:
      return QStringLiteral("■ ") + name;
    default:
      return name;
  }
}

}  // namespace tw::ladder
