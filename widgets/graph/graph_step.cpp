// SPDX-License-Identifier: GPL-3.0-or-later
// What another view of the same graph needs to stay in step with this one.
#include <QPainter>
#include <algorithm>

#include "widgets/graph/graph_view.h"

namespace tw {

using graph::Card;
using graph::Findable;

void GraphView::have_find_bar(bool has) {
  has_bar_ = has;
  if (!has) bar_->hide();
  show_block_bar();
}

void GraphView::mark(std::vector<int> nodes) {
  if (nodes == marked_) return;
  marked_ = std::move(nodes);
  update_marks();
}

void GraphView::hint(std::vector<int> nodes) {
  if (nodes == hinted_) return;
  hinted_ = std::move(nodes);
  update_marks();
}

void GraphView::update_marks() {
  count_changes();
  mark_cards_.assign(card_count(), 0);
  if (marked_.empty() && hinted_.empty()) return update();
  auto put = [&](std::vector<int> const& nodes, char level) {
    std::vector<int> sorted = nodes;
    std::ranges::sort(sorted);
    for (Findable const& found : made_->findable)
      if (std::ranges::binary_search(sorted, found.node->id))
        mark_cards_[size_t(found.card)] = level;
  };
  if (made_) {
    put(hinted_, 1);
    put(marked_, 2);
  }
  update();
}

bool GraphView::is_chosen(Card const& card) const {
  size_t index = size_t(&card - made_->cards.data());
  if (index < mark_cards_.size() && mark_cards_[index] == 2) return true;
  if (card.fold < 0) return card.kernel >= 0 && card.kernel == kernel_;
  return holds_kernel(card) || made_->groups[size_t(card.fold)].key == group_;
}

size_t GraphView::chosen_count() const {
  if (!ready()) return 0;
  return size_t(
      std::ranges::count_if(made_->cards, [&](Card const& card) { return is_chosen(card); }));
}

/// Under the pointer, here or in the other view: a second frame, outside of the card's own.
void GraphView::draw_hint(QPainter& painter, Card const& card) const {
  double thin = 1 / std::min(scale_, 1.0);
  painter.setPen(QPen(theme_.text2, 1.5 * thin));
  painter.setBrush(Qt::NoBrush);
  double out = 3.5 * thin;
  painter.drawRoundedRect(card.box.adjusted(-out, -out, out, out), 8 + out, 8 + out);
}

QRectF GraphView::box_of(std::vector<int> const& nodes) const {
  QRectF box;
  if (!ready()) return box;
  std::vector<int> sorted = nodes;
  std::ranges::sort(sorted);
  for (Findable const& found : made_->findable)
    if (std::ranges::binary_search(sorted, found.node->id))
      box |= made_->cards[size_t(found.card)].box;
  return box;
}

std::vector<int> GraphView::nodes_at(int card) const {
  std::vector<int> nodes;
  if (!ready() || card < 0) return nodes;
  for (Findable const& found : made_->findable)
    if (found.card == card) nodes.push_back(found.node->id);
  return nodes;
}

std::vector<int> GraphView::nodes_beside(int node) const {
  Findable const* found = findable(node);
  return found ? nodes_at(found->card) : std::vector<int>();
}

void GraphView::open_around(int node) {
  if (Findable const* found = findable(node)) open_to(found->inner);
}

std::vector<int> GraphView::nodes_of_group(std::string const& key) const {
  std::vector<int> nodes;
  if (!ready() || !group_of(key)) return nodes;
  for (Findable const& found : made_->findable)
    for (int g = found.inner; g >= 0; g = made_->groups[size_t(g)].parent)
      if (made_->groups[size_t(g)].key == key) nodes.push_back(found.node->id);
  return nodes;
}

std::vector<int> GraphView::nodes_of_kernel(int kernel) const {
  std::vector<int> nodes;
  if (!graph_ || kernel < 0) return nodes;
  for (session::GraphGroupView const& group : graph_->groups)
    if (group.kernel == kernel) nodes.insert(nodes.end(), group.nodes.begin(), group.nodes.end());
  return nodes;
}

void GraphView::choose_group(std::string const& key) {
  group_ = group_of(key) ? key : std::string();
  update();
}

void GraphView::step_card(int direction) {
  if (!ready() || made_->cards.empty()) return;
  auto const& cards = made_->cards;
  auto now = std::ranges::find_if(cards, [&](Card const& card) { return is_chosen(card); });
  int last = int(cards.size()) - 1;
  int next = now == cards.end() ? (direction > 0 ? 0 : last)
                                : std::clamp(int(now - cards.begin()) + direction, 0, last);
  Card const& card = made_->cards[size_t(next)];
  bring_into_view(next);
  if (card.fold >= 0)
    emit chosen(QString::fromStdString(made_->groups[size_t(card.fold)].key), -1);
  else
    emit chosen({}, card.chips.front().node->id);
}

void GraphView::hover(QPointF scene) {
  if (!ready()) return;
  Card const* card = card_at(scene);
  int index = card ? int(card - made_->cards.data()) : -1;
  if (index == hovered_) return;
  hovered_ = index;
  emit hovered(nodes_at(index));
}

void GraphView::leaveEvent(QEvent*) {
  if (std::exchange(hovered_, -1) >= 0) emit hovered({});
}

}  // namespace tw
