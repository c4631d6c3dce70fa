// SPDX-License-Identifier: GPL-3.0-or-later
/// How the kinds of a timeline's work look: a hue, plain or hatched; waiting is hatched alone.
#pragma once

#include <QBrush>
#include <QPainter>
#include <map>

#include "engine/session/timeline.h"
#include "widgets/theme/theme.h"

namespace tw {

class TimelineHues {
public:
  void set_theme(Theme const& theme);
  /// Of its blocks; of waiting the ground of its hatch.
  QColor fill(Timeline::Kind const& kind) const;
  /// Of its mark in tables, and of its share where blocks are too narrow to be seen.
  QColor mark(Timeline::Kind const& kind) const;
  /// Words on a block.
  QColor ink_on(Timeline::Kind const& kind) const;
  /// With rounded corners where there is room.
  void block(QPainter& painter, QRectF const& rect, Timeline::Kind const& kind) const;

private:
  QColor hue(Timeline::Kind const& kind) const;
  QBrush const& hatch(QColor const& colour, double unit) const;

  Theme theme_;
  mutable std::map<std::pair<QRgb, double>, QBrush> hatches_;
};

}  // namespace tw
