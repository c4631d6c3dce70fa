// SPDX-License-Identifier: GPL-3.0-or-later
/// Why nodes were fused or not, and where that is in the picture.
#pragma once

#include <QObject>
#include <QString>
#include <utility>

#include "engine/session/values.h"

namespace tw {

class GraphCamera;
class GraphLayout;

namespace graph {

struct Reason {
  QString title, words;
};
/// What fusion said of the edge between two nodes, or (`to` < 0) why one joined; empty when nothing
/// is known. `graph`: null: none.
Reason reason_of(session::GraphView const* graph, bool before, int from, int to);

}  // namespace graph

/// The edge whose reason is shown. A fold may hide it, and show it again.
class ReasonEdge : public QObject {
  Q_OBJECT
public:
  ReasonEdge(GraphLayout& layout, GraphCamera& camera) : layout_(layout), camera_(camera) {}
  /// Opens the groups around the nodes, brings them into view and marks the edge between them.
  void show(int from, int to);
  /// Of the graph's borders; -1: none is marked.
  int edge() const { return edge_; }
  void settle();
  void reset();

signals:
  void changed();

private:
  void find_edge(bool bring);

  GraphLayout& layout_;
  GraphCamera& camera_;
  int edge_ = -1;
  std::pair<int, int> nodes_{-1, -1};
  bool to_be_seen_ = false;  ///< it comes into view when it is laid out
};

}  // namespace tw
