// SPDX-License-Identifier: GPL-3.0-or-later
// What a click, a double click and the menu's key are about: an operator, a kernel, an edge.
#include <QContextMenuEvent>
#include <QMouseEvent>
#include <algorithm>

#include "widgets/graph/graph_view.h"

namespace tw {

using graph::Border;
using graph::Card;
using graph::Chip;

Chip const* GraphView::chip_at(Card const& card, QPointF scene) const {
  double x = card.box.left() + graph::kPad;
  for (Chip const& chip : card.chips) {
    QRectF place(x, card.box.top() + graph::kHead, chip.width, graph::kChip);
    if (place.contains(scene)) return &chip;
    x += chip.width + 8;
  }
  return nullptr;
}

void GraphView::click(QPointF scene) {
  clicked_ = -1;
  if (click_group(scene)) return;
  for (Border const& border : made_->borders)
    if (border.verdict && !border.points.empty() && (border.mark - scene).manhattanLength() <= 14)
      return emit reason_asked(border.edge->from, border.edge->to);
  Card const* card = card_at(scene);
  if (!card) return;
  clicked_ = first_node(*card);
  if (Chip const* chip = chip_at(*card, scene))
    if (!reason_of(chip->node->id, -1).words.isEmpty()) emit reason_asked(chip->node->id, -1);
  emit chosen({}, clicked_);
  if (card->kernel >= 0) emit kernel_chosen(card->kernel);
}

/// What enters a card is no click any more when the button is let go.
void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
  mousePressEvent(event);
  bool pressed = event->button() == Qt::LeftButton && !on_map_ && dragged_flag_ < 0;
  if (pressed && ready()) dragging_ = enter(to_scene(event->position()));
}

/// The first click may have opened a group, and what lies below the second one since is not meant.
bool GraphView::enter(QPointF scene) {
  Card const* card = card_at(scene);
  if (!card || card->fold >= 0 || first_node(*card) != clicked_) return false;
  emit entered(clicked_);
  return true;
}

int GraphView::first_node(Card const& card) {
  return card.chips.empty() ? -1 : card.chips.front().node->id;
}

Card const* GraphView::chosen_card() const {
  if (!ready()) return nullptr;
  auto found = std::ranges::find_if(made_->cards, [&](Card const& c) { return is_chosen(c); });
  return found == made_->cards.end() ? nullptr : &*found;
}

int GraphView::chosen_node() const {
  Card const* card = chosen_card();
  return card ? first_node(*card) : -1;
}

void GraphView::contextMenuEvent(QContextMenuEvent* event) {
  if (!ready()) return emit menu_asked({}, event->globalPos());
  bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  QPointF scene = to_scene(event->pos());
  Card const* card = by_key ? chosen_card() : card_at(scene);
  QPoint at = by_key && card ? mapToGlobal(pixels(card->box.center() * scale_ + origin_))
                             : event->globalPos();
  if (!card) return emit menu_asked({}, at);
  Chip const* chip = by_key ? nullptr : chip_at(*card, scene);
  emit menu_asked({.group = before_ ? -1 : card->group,
                   .node = chip ? chip->node->id : first_node(*card),
                   .on_operator = before_ || chip},
                  at);
}

}  // namespace tw
