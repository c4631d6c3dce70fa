// SPDX-License-Identifier: GPL-3.0-or-later
// Why nodes were fused or not, and where that is in the picture.
#include <algorithm>

#include "widgets/graph/graph_view.h"

namespace tw {

using graph::Border;
using graph::Findable;

GraphView::Reason GraphView::reason_of_node(int id) const {
  auto const& nodes = before_ ? graph_->nodes_before : graph_->nodes;
  auto node = std::ranges::find(nodes, id, &session::GraphNodeView::id);
  if (node == nodes.end() || before_) return {};
  QString why = QString::fromStdString(node->reason);
  for (auto const& edge : graph_->edges)
    if (edge.to == id && edge.fused) why = QString::fromStdString(edge.reason);
  return {graph::chip_text(*node) + " · " + QString::fromStdString(node->name), why};
}

/// A kernel by its name, what is in one by its operator.
QString GraphView::end_title(int node, bool whole_kernel) const {
  auto const& nodes = before_ ? graph_->nodes_before : graph_->nodes;
  auto found = std::ranges::find(nodes, node, &session::GraphNodeView::id);
  if (found == nodes.end()) return {};
  if (!before_ && !whole_kernel) return graph::chip_text(*found);
  for (session::GraphGroupView const& group : graph_->groups)
    if (!before_ && group.id == found->group) return QString::fromStdString(group.name);
  return QString::fromStdString(found->name);
}

/// What fusion said of it; of one that it never judged, that.
GraphView::Reason GraphView::reason_of(int from, int to) const {
  if (!graph_) return {};
  if (to < 0) return reason_of_node(from);
  graph::Judged judged = graph::judged_edge(*graph_, before_, from, to);
  if (!judged.edge) return {};
  auto group = [&](int id) {
    auto found = std::ranges::find(graph_->nodes, id, &session::GraphNodeView::id);
    return found == graph_->nodes.end() ? -1 : found->group;
  };
  bool apart = before_ || group(from) != group(to) || group(from) < 0;
  QString ends = QStringLiteral("%1 → %2").arg(end_title(from, apart), end_title(to, apart));
  if (!judged.verdict) return {ends, "Fusion did not judge this edge."};
  return {(judged.verdict->fused ? "Fused: " : "Not fused: ") + ends,
          QString::fromStdString(judged.verdict->reason)};
}

Findable const* GraphView::findable(int node) const {
  if (!ready()) return nullptr;
  auto found = std::ranges::find_if(made_->findable,
                                    [&](Findable const& one) { return one.node->id == node; });
  return found == made_->findable.end() ? nullptr : &*found;
}

void GraphView::show_reason(int from, int to) {
  asked_ = {from, to};
  asked_to_see_ = true;
  for (int node : {from, to})
    if (Findable const* found = findable(node)) open_to(found->inner);
  if (!busy()) settle_reason(std::exchange(asked_to_see_, false));
}

/// The edge between the cards of both; of two in one card there is none. After each layout: a fold
/// may hide them, and show them again.
void GraphView::settle_reason(bool bring) {
  chosen_edge_ = -1;
  Findable const *from = findable(asked_.first), *to = findable(asked_.second);
  for (size_t e = 0; from && to && e < made_->borders.size(); ++e)
    if (made_->borders[e].from == from->card && made_->borders[e].to == to->card)
      chosen_edge_ = int(e);
  update();
  if (!bring || !from) return;
  QRectF box = made_->cards[size_t(from->card)].box;
  if (!to) return bring_into_view(box);
  box |= made_->cards[size_t(to->card)].box;
  // Two that are too far apart for one picture: where the mark on their edge is.
  bool fits =
      box.width() * scale_ < unit_width() - 16 && box.height() * scale_ < unit_height() - 16;
  if (!fits && chosen_edge_ >= 0)
    box = QRectF(made_->borders[size_t(chosen_edge_)].mark - QPointF(8, 8), QSizeF(16, 16));
  bring_into_view(box);
}

size_t GraphView::mark_count() const {
  if (!ready()) return 0;
  return size_t(std::ranges::count_if(made_->borders, [](Border const& b) { return b.verdict; }));
}

}  // namespace tw
