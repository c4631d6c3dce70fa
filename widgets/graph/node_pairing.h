// SPDX-License-Identifier: GPL-3.0-or-later
/// Which nodes of a graph before fusion stand for which after it, and where in the pictures.
#pragma once

#include <QPointF>
#include <memory>
#include <vector>

#include "engine/session/views/graph_pairs.h"
#include "widgets/graph/graph_cards.h"

namespace tw {

class NodePairing {
public:
  /// Null: there is none.
  void pair(std::shared_ptr<session::GraphView const> graph);
  /// What stands where; null: one of them is not laid out.
  void place(graph::Cards const* after, graph::Cards const* before);

  /// In the other graph, in ascending order. `before`: the nodes are of the graph before fusion.
  std::vector<int> counterparts(bool before, std::vector<int> const& nodes) const;
  /// The kernel that a node of one of the graphs runs in, or why none does.
  session::ComputedIn computed_in(bool before, int node) const;
  /// Between what stands above and what stands below, in proportion; beyond all, as far as here.
  QPointF place_in_other(bool before, QPointF place) const;
  /// As far as here from the nearest: where one of them is in columns.
  QPointF place_near(bool before, QPointF place) const;

private:
  /// Where the middle of a card after fusion is, and of all that it stands for before.
  struct Anchor {
    QPointF after, before;
    QPointF of(bool is_before) const { return is_before ? before : after; }
  };
  std::shared_ptr<session::GraphView const> graph_;
  session::NodePairs pairs_;
  std::vector<Anchor> anchors_;
};

}  // namespace tw
