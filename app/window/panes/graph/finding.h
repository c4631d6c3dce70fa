// SPDX-License-Identifier: GPL-3.0-or-later
/// Finding in the graph: by words, from match to match, and all else dimmed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/window/pane.h"
#include "widgets/graph/graph_legend.h"
#include "widgets/graph/graph_pair.h"

namespace tw {

class Finding {
public:
  /// Carries out what journals and the find bar ask for.
  Finding(Workbench& bench, GraphPair& pair, GraphLegend& legend);
  void add_commands();
  /// The tensors of the open model.
  void add_palette(std::vector<PaletteEntry>& entries);
  /// In another graph is found what was looked for in the former.
  void take_graph();
  void take_layout();
  std::optional<session::FactValue> fact(std::string const& name) const;

private:
  void watch(GraphView& view);
  Status find(std::string const& text);
  Status step(std::string const& direction);
  void go_to_tensor(std::string const& name);
  int count() const { return pair_.search().found_in().search().count(); }

  Workbench& bench_;
  GraphPair& pair_;
  GraphLegend& legend_;
  bool waits_ = false;  ///< one goes to the match once the graph is laid out
};

}  // namespace tw
