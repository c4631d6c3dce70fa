// SPDX-License-Identifier: GPL-3.0-or-later
/// How the history's map is painted: tracks first, then folds and stations, only what is seen.
#pragma once

#include <QPainter>
#include <set>

#include "widgets/history/history_facts.h"
#include "widgets/history/history_layout.h"
#include "widgets/theme/theme.h"

namespace tw {

struct HistoryScene {
  HistoryFacts const& facts;  ///< of a history that is there
  HistoryLayout const& layout;
  Theme const& theme;
  std::set<int> const& found;
  int marked = -1, picked = -1;
  int noting = -1;  ///< whose note is being written
  bool has_focus = false;
};

/// `shown`: what is to be painted, in units.
void paint_history(QPainter& painter, HistoryScene const& scene, QRectF const& shown);

}  // namespace tw
