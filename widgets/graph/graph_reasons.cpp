// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_reasons.h"

#include <algorithm>

#include "widgets/graph/graph_camera.h"
#include "widgets/graph/graph_layout.h"
#include "widgets/graph/graph_lookup.h"

namespace tw {
namespace graph {
namespace {

Reason reason_of_node(session::GraphView const& graph, bool before, int id) {
  auto node = std::ranges::find(graph.nodes, id, &session::GraphNodeView::id);
  if (before || node == graph.nodes.end()) return {};
  QString why = QString::fromStdString(node->reason);
  for (auto const& edge : graph.edges)
    if (edge.to == id && edge.fused) why = QString::fromStdString(edge.reason);
  return {chip_text(*node) + " · " + QString::fromStdString(node->name), why};
}

/// A kernel by its name, what is in one by its operator.
QString end_title(session::GraphView const& graph, bool before, int node, bool whole_kernel) {
  auto const& nodes = before ? graph.nodes_before : graph.nodes;
  auto found = std::ranges::find(nodes, node, &session::GraphNodeView::id);
  if (found == nodes.end()) return {};
  if (!before && !whole_kernel) return chip_text(*found);
  for (session::GraphGroupView const& group : graph.groups)
    if (!before && group.id == found->group) return QString::fromStdString(group.name);
  return QString::fromStdString(found->name);
}

}  // namespace

/// What fusion said of it; of one that it never judged, that.
Reason reason_of(session::GraphView const* graph, bool before, int from, int to) {
  if (!graph) return {};
  if (to < 0) return reason_of_node(*graph, before, from);
  Judged judged = judged_edge(*graph, before, from, to);
  if (!judged.edge) return {};
  auto group = [&](int id) {
    auto found = std::ranges::find(graph->nodes, id, &session::GraphNodeView::id);
    return found == graph->nodes.end() ? -1 : found->group;
  };
  bool apart = before || group(from) != group(to) || group(from) < 0;
  QString ends = QStringLiteral("%1 → %2").arg(end_title(*graph, before, from, apart),
                                               end_title(*graph, before, to, apart));
  if (!judged.verdict) return {ends, "Fusion did not judge this edge."};
  return {(judged.verdict->fused ? "Fused: " : "Not fused: ") + ends,
          QString::fromStdString(judged.verdict->reason)};
}

}  // namespace graph

void ReasonEdge::show(int from, int to) {
  nodes_ = {from, to};
  to_be_seen_ = true;
  for (int node : {from, to}) layout_.open_around(node);
  if (!layout_.busy()) find_edge(std::exchange(to_be_seen_, false));
}

void ReasonEdge::settle() {
  if (to_be_seen_)
    show(nodes_.first, nodes_.second);  // its groups open, if they were not known before
  else
    find_edge(false);
}

void ReasonEdge::reset() {
  edge_ = -1;
  nodes_ = {-1, -1};
}

/// The edge between the cards of both; of two in one card there is none.
void ReasonEdge::find_edge(bool bring) {
  edge_ = -1;
  graph::Cards const* cards = layout_.cards();
  graph::Findable const *from = findable_of(cards, nodes_.first),
                        *to = findable_of(cards, nodes_.second);
  for (size_t e = 0; from && to && e < cards->borders.size(); ++e)
    if (cards->borders[e].from == from->card && cards->borders[e].to == to->card) edge_ = int(e);
  emit changed();
  if (!bring || !from) return;
  QRectF box = cards->cards[size_t(from->card)].box;
  if (!to) return camera_.bring_into_view(box);
  box |= cards->cards[size_t(to->card)].box;
  // Two that are too far apart for one picture: where the mark on their edge is.
  QSizeF seen = camera_.seen().size() - QSizeF(16, 16) / camera_.scale();
  bool fits = box.width() < seen.width() && box.height() < seen.height();
  if (!fits && edge_ >= 0)
    box = QRectF(cards->borders[size_t(edge_)].mark - QPointF(8, 8), QSizeF(16, 16));
  camera_.bring_into_view(box);
}

}  // namespace tw
