// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/history_geometry.h"

#include <algorithm>
#include <cmath>

#include "widgets/history/history_metrics.h"

namespace tw {

using namespace history_metrics;
using session::HistoryNodeView;

namespace {

QPointF place(int column, int lane) { return {kLeft + kPitch * column, kTop + kLane * lane}; }

}  // namespace

QSizeF size_of(HistoryLayout const& layout) {
  QPointF last = place(std::max(layout.columns - 1, 0), std::max(layout.lanes - 1, 0));
  return {std::max(220.0, last.x() + kPitch / 2 + 8), std::max(110.0, last.y() + kBelow + 8)};
}

int shown_count(HistoryLayout const& layout) {
  return int(std::ranges::count_if(layout.places, &HistoryPlace::shown));
}

QPointF station_of(HistoryLayout const& layout, int node) {
  if (node < 0 || size_t(node) >= layout.places.size()) return {};
  HistoryPlace const& at = layout.places[size_t(node)];
  return place(at.column, at.lane);
}

QRectF field_of(HistoryLayout const& layout, int node) {
  QPointF at = station_of(layout, node);
  return {at.x() - kPitch / 2 + 2, at.y() - kAbove, kPitch - 4, kAbove + kBelow};
}

QRectF pill_of(HistoryFold const& fold) {
  QPointF at = place(fold.column, fold.lane);
  return {at.x() - kPitch / 2 + 6, at.y() - 11, kPitch - 12, 22};
}

int node_at(HistoryLayout const& layout, QPointF at) {
  for (size_t i = 0; i < layout.places.size(); ++i)
    if (layout.places[i].shown && field_of(layout, int(i)).contains(at)) return int(i);
  return -1;
}

int fold_at(HistoryLayout const& layout, QPointF at) {
  for (size_t i = 0; i < layout.folds.size(); ++i)
    if (pill_of(layout.folds[i]).contains(at)) return int(i);
  return -1;
}

int neighbour_of(session::HistoryView const& view, HistoryLayout const& layout, int node, int key) {
  if (key == Qt::Key_Left) return view.nodes[size_t(node)].parent;
  if (key == Qt::Key_Right) {
    int child = -1;
    for (HistoryNodeView const& other : view.nodes)
      if (other.parent == node &&
          (child < 0 || layout.places[size_t(other.id)].lane < layout.places[size_t(child)].lane))
        child = other.id;
    return child;
  }
  int best = -1;
  double nearest = 0;
  for (size_t i = 0; i < layout.places.size(); ++i) {
    QPointF away = station_of(layout, int(i)) - station_of(layout, node);
    if (!layout.places[i].shown || (key == Qt::Key_Down ? away.y() <= 0 : away.y() >= 0)) continue;
    double distance = 4 * std::abs(away.y()) + std::abs(away.x());
    if (best < 0 || distance < nearest) best = int(i), nearest = distance;
  }
  return best;
}

}  // namespace tw
