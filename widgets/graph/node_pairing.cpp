// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/node_pairing.h"

#include <QLineF>
#include <QRectF>
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace tw {

void NodePairing::pair(std::shared_ptr<session::GraphView const> graph) {
  pairs_ = graph ? session::pair_nodes(*graph) : session::NodePairs();
  graph_ = std::move(graph);
  anchors_.clear();
}

void NodePairing::place(graph::Cards const* after, graph::Cards const* before) {
  anchors_.clear();
  if (!after || !before) return;
  std::unordered_map<int, QRectF> box_before;
  for (graph::Findable const& found : before->findable)
    box_before[found.node->id] = before->cards[size_t(found.card)].box;
  std::vector<QRectF> boxes(after->cards.size());
  for (graph::Findable const& found : after->findable)
    if (auto all = pairs_.before.find(found.node->id); all != pairs_.before.end())
      for (int node : all->second) boxes[size_t(found.card)] |= box_before[node];
  for (size_t i = 0; i < boxes.size(); ++i)
    if (!boxes[i].isEmpty()) anchors_.push_back({after->cards[i].box.center(), boxes[i].center()});
}

std::vector<int> NodePairing::counterparts(bool before, std::vector<int> const& nodes) const {
  std::vector<int> found;
  for (int node : nodes) {
    if (before) {
      if (auto one = pairs_.after.find(node); one != pairs_.after.end())
        found.push_back(one->second);
    } else if (auto all = pairs_.before.find(node); all != pairs_.before.end()) {
      found.insert(found.end(), all->second.begin(), all->second.end());
    }
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

session::ComputedIn NodePairing::computed_in(bool before, int node) const {
  if (!graph_) return {};
  return before ? session::computed_in(*graph_, pairs_, node) : session::computed_in(*graph_, node);
}

QPointF NodePairing::place_near(bool before, QPointF place) const {
  auto distance = [&](Anchor const& anchor) { return QLineF(anchor.of(before), place).length(); };
  auto nearest = std::ranges::min_element(anchors_, {}, distance);
  return nearest == anchors_.end() ? place : nearest->of(!before) + place - nearest->of(before);
}

QPointF NodePairing::place_in_other(bool before, QPointF place) const {
  Anchor const *above = nullptr, *below = nullptr;
  auto nearer = [&](Anchor const& one, Anchor const* known, bool is_above) {
    if (!known) return true;
    double here = one.of(before).y(), there = known->of(before).y();
    if (here != there) return is_above ? here > there : here < there;
    return std::abs(one.of(before).x() - place.x()) < std::abs(known->of(before).x() - place.x());
  };
  for (Anchor const& anchor : anchors_) {
    bool is_above = anchor.of(before).y() <= place.y();
    Anchor const*& known = is_above ? above : below;
    if (nearer(anchor, known, is_above)) known = &anchor;
  }
  if (!above && !below) return place;
  if (!above) above = below;
  if (!below) below = above;
  QPointF from = above->of(before), to = below->of(before);
  double part = to.y() > from.y() ? (place.y() - from.y()) / (to.y() - from.y()) : 0;
  QPointF here = from + (to - from) * part;
  QPointF there = above->of(!before) + (below->of(!before) - above->of(!before)) * part;
  return there + (place - here);
}

}  // namespace tw
