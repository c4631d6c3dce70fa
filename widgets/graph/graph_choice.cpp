// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_choice.h"

#include <algorithm>
#include <utility>

#include "widgets/graph/graph_camera.h"
#include "widgets/graph/graph_layout.h"
#include "widgets/graph/graph_lookup.h"
#include "widgets/graph/graph_marks.h"
#include "widgets/graph/graph_reasons.h"

namespace tw {

using graph::Border;
using graph::Card;
using graph::Chip;
using graph::Group;

namespace {

/// From `now` in a list of so many, which is -1 where one begins.
int stepped(int now, int direction, size_t count) {
  int last = int(count) - 1;
  if (now < 0) return direction > 0 ? 0 : last;
  return std::clamp(now + direction, 0, last);
}

}  // namespace

// ---- with the pointer ----------------------------------------------------------------------

void GraphChoice::click(QPointF place) {
  clicked_ = -1;
  if (!layout_.cards() || click_group(place)) return;
  for (Border const& border : layout_.cards()->borders)
    if (border.verdict && !border.points.empty() && (border.mark - place).manhattanLength() <= 14)
      return emit reason_asked(border.edge->from, border.edge->to);
  Card const* card = card_at(layout_.cards(), place);
  if (!card) return;
  clicked_ = first_node(*card);
  if (Chip const* chip = chip_at(*card, place)) {
    int node = chip->node->id;
    if (!graph::reason_of(layout_.graph().get(), layout_.before(), node, -1).words.isEmpty())
      emit reason_asked(node, -1);
  }
  emit chosen({}, clicked_);
  if (card->kernel >= 0) emit kernel_chosen(card->kernel);
}

/// A folded card opens; the head of a frame folds it.
bool GraphChoice::click_group(QPointF place) {
  auto const& groups = layout_.cards()->groups;
  auto group = std::find_if(groups.rbegin(), groups.rend(), [&](Group const& one) {
    return one.seen() && head_of(*layout_.cards(), one).contains(place);
  });
  if (group == groups.rend()) return false;
  marks_.choose_group(group->key);
  emit fold_asked(QString::fromStdString(group->key), !group->open);
  return true;
}

/// The first click may have opened a group, and what lies below the second one since is not meant.
bool GraphChoice::enter(QPointF place) {
  Card const* card = card_at(layout_.cards(), place);
  if (!card || card->fold >= 0 || first_node(*card) != clicked_) return false;
  emit entered(clicked_);
  return true;
}

void GraphChoice::hover(QPointF place) {
  if (!layout_.cards()) return;
  Card const* card = card_at(layout_.cards(), place);
  int index = card ? int(index_of(*layout_.cards(), *card)) : -1;
  if (index == hovered_) return;
  hovered_ = index;
  emit hovered(nodes_at(layout_.cards(), index));
}

void GraphChoice::leave() {
  if (std::exchange(hovered_, -1) >= 0) emit hovered({});
}

GraphChoice::Spot GraphChoice::spot_of(Card const& card, Chip const* chip) const {
  bool before = layout_.before();
  return {.group = before ? -1 : card.group,
          .node = chip ? chip->node->id : first_node(card),
          .on_operator = before || chip};
}

// ---- with keys -----------------------------------------------------------------------------

/// Up and down go from kernel to kernel, left and right from group to group, the space bar opens
/// and folds one, the return key goes to the loops of what is chosen.
bool GraphChoice::press(QKeyEvent const& event) {
  switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
      step_group(event.key() == Qt::Key_Left ? -1 : 1);
      return true;
    case Qt::Key_Space:
      if (std::string key = marks_.chosen_group(); !key.empty())
        emit fold_asked(QString::fromStdString(key), !layout_.is_open(key));
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: {
      Card const* card = marks_.chosen_card();
      emit entered(card ? first_node(*card) : -1);
      return true;
    }
    case Qt::Key_Up:
    case Qt::Key_Down:
      if (!by_cards_ && (kernel_count_ == 0 || !layout_.cards())) return false;
      by_cards_ ? step_card(event.key() == Qt::Key_Up ? -1 : 1)
                : step_kernel(event.key() == Qt::Key_Up ? -1 : 1);
      return true;
    default:
      return false;
  }
}

void GraphChoice::step_kernel(int direction) {
  graph::Cards const& cards = *layout_.cards();
  int next = std::clamp(marks_.kernel() + direction, 0, kernel_count_ - 1);
  auto shows_it = [&](int member) { return cards.members[size_t(member)].kernel == next; };
  auto card = std::ranges::find_if(
      cards.cards, [&](Card const& one) { return std::ranges::any_of(one.members, shows_it); });
  if (card != cards.cards.end()) camera_.bring_into_view(card->box);
  if (next != marks_.kernel()) emit kernel_chosen(next);
}

void GraphChoice::step_group(int direction) {
  if (!layout_.cards()) return;
  std::vector<Group const*> seen;
  for (Group const& group : layout_.cards()->groups)
    if (group.seen()) seen.push_back(&group);
  if (seen.empty()) return;
  auto now = std::ranges::find(seen, marks_.group(), [](Group const* group) { return group->key; });
  int index = now == seen.end() ? -1 : int(now - seen.begin());
  Group const& next = *seen[size_t(stepped(index, direction, seen.size()))];
  marks_.choose_group(next.key);
  if (next.card >= 0) camera_.bring_into_view(layout_.cards()->cards[size_t(next.card)].box);
  emit chosen(QString::fromStdString(marks_.group()), -1);
}

void GraphChoice::step_card(int direction) {
  if (!layout_.is_laid_out()) return;
  graph::Cards const& cards = *layout_.cards();
  Card const* now = marks_.chosen_card();
  int index = now ? int(index_of(cards, *now)) : -1;
  Card const& card = cards.cards[size_t(stepped(index, direction, cards.cards.size()))];
  camera_.bring_into_view(card.box);
  if (card.fold >= 0)
    emit chosen(QString::fromStdString(cards.groups[size_t(card.fold)].key), -1);
  else
    emit chosen({}, card.chips.front().node->id);
}

}  // namespace tw
