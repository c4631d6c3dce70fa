// SPDX-License-Identifier: GPL-3.0-or-later
/// Where the stations of a branching history stand: columns by depth, lanes by branch, long runs
/// folded. No painting.
#pragma once

#include <set>
#include <vector>

#include "engine/session/values.h"

namespace tw {

struct HistoryPlace {
  int column = 0, lane = 0;
  bool shown = true;  ///< false: inside of a fold, or left out
};

/// Steps between two shown stations that are not drawn one by one.
struct HistoryFold {
  int first = -1, last = -1;  ///< nodes
  int count = 0;
  int column = 0, lane = 0;
};

struct HistoryLayout {
  std::vector<HistoryPlace> places;  ///< one per node
  std::vector<HistoryFold> folds;
  std::vector<int> from;  ///< per node: the shown station or fold that its track comes from
  std::vector<bool> on_path;
  int columns = 0, lanes = 0;
};

/// `keep`: nodes that are never folded (marked, found, noted, best). `unfolded`: first nodes of
/// folds that were opened. A run is folded from four steps on, when none of them is on the way to
/// the current state, a leaf or a fork. `only`: where somebody looks for some states alone, the
/// branches without any of them are left out, and what lies between them is folded; null: all.
HistoryLayout lay_out_history(session::HistoryView const& view, std::set<int> const& keep,
                              std::set<int> const& unfolded, std::set<int> const* only = nullptr);

}  // namespace tw
