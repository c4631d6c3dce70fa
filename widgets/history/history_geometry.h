// SPDX-License-Identifier: GPL-3.0-or-later
/// Where the stations of a history stand in units, and what is at a place.
#pragma once

#include <QRectF>

#include "widgets/history/history_layout.h"

namespace tw {

QSizeF size_of(HistoryLayout const& layout);
/// Of the stations that are in sight.
int shown_count(HistoryLayout const& layout);
/// Centre of a node's station; of the fold that it lies in.
QPointF station_of(HistoryLayout const& layout, int node);
/// With its words.
QRectF field_of(HistoryLayout const& layout, int node);
QRectF pill_of(HistoryFold const& fold);
/// -1: none.
int node_at(HistoryLayout const& layout, QPointF at);
int fold_at(HistoryLayout const& layout, QPointF at);  ///< an index
/// Left (by Qt's key) is the parent, right the child that goes on in the lane; up and down go to
/// the nearest station of another lane. -1: none.
int neighbour_of(session::HistoryView const& view, HistoryLayout const& layout, int node, int key);

}  // namespace tw
