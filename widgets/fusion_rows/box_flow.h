// SPDX-License-Identifier: GPL-3.0-or-later
/// Boxes in reading order, in as many lines as they need, with the lines from what makes a value to
/// what reads it.
#pragma once

#include <QPainterPath>
#include <QRectF>
#include <vector>

namespace tw {

struct FlowBox {
  double width = 0;
  std::vector<int> reads = {};  ///< boxes before it
  bool from_outside = false;    ///< it reads what none of them makes
};

struct BoxFlow {
  std::vector<QRectF> boxes;        ///< in units, the first at the origin
  std::vector<QPainterPath> links;  ///< each ends where `heads` has it
  std::vector<QPointF> heads;       ///< an arrow's tip each
  std::vector<bool> upward;         ///< it comes from below, else from the left
  double height = 0;
};

/// From one box to the next in its line goes a straight arrow; what skips others runs below them.
/// What comes from another line, or from outside to another box than the first, comes from the left
/// edge.
BoxFlow flow_boxes(std::vector<FlowBox> const& boxes, double width, double box_height);

}  // namespace tw
