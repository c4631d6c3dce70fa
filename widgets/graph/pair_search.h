// SPDX-License-Identifier: GPL-3.0-or-later
/// What is found, and blocks that are alike, in one graph or in both of two: what one stands at
/// there, the other shows, too.
#pragma once

#include <QString>
#include <memory>
#include <string>

#include "engine/session/graph_tensors.h"

namespace tw {

class GraphPair;
class GraphView;

class PairSearch {
public:
  explicit PairSearch(GraphPair& pair) : pair_(pair) {}
  // As GraphSearch does it.
  void show_tensors(std::shared_ptr<session::GraphTensors const> const& tensors);
  void show_only_matches(bool only);
  void find(QString const& text);
  /// From match to match after fusion, if there is one.
  void step(int direction);
  /// The one whose matches are counted: after fusion, if it has some.
  GraphView& found_in() const;
  // As AlikeBlocks does it.
  bool show_alike(std::string const& key);
  void step_alike(int direction);
  void end_alike();

  /// After a layout: goes to what waited for it.
  void settle();
  void forget() { waiting_ = -1; }

private:
  GraphPair& pair_;
  int waiting_ = -1;  ///< is chosen once its group is laid out, after fusion
};

}  // namespace tw
