// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_lookup.h"

#include <algorithm>

#include "engine/session/views/graph_frames.h"

namespace tw::graph {
namespace {

template <typename T, typename Is>
T const* first_of(std::vector<T> const& all, Is is) {
  auto found = std::ranges::find_if(all, is);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

Group const* group_of(Cards const* cards, std::string const& key) {
  if (!cards || key.empty()) return nullptr;
  return first_of(cards->groups, [&](Group const& group) { return group.key == key; });
}

Findable const* findable_of(Cards const* cards, int node) {
  if (!cards) return nullptr;
  return first_of(cards->findable, [&](Findable const& one) { return one.node->id == node; });
}

Card const* card_at(Cards const* cards, QPointF place) {
  if (!cards) return nullptr;
  return first_of(cards->cards, [&](Card const& card) { return card.box.contains(place); });
}

Chip const* chip_at(Card const& card, QPointF place) {
  double x = card.box.left() + kPad;
  for (Chip const& chip : card.chips) {
    QRectF box(x, card.box.top() + kHead, chip.width, kChip);
    if (box.contains(place)) return &chip;
    x += chip.width + 8;
  }
  return nullptr;
}

std::string block_at(Cards const* cards, QPointF place) {
  if (!cards) return {};
  int inner = -1;
  if (Card const* card = card_at(cards, place))
    inner = card->fold >= 0 ? card->fold : cards->members[size_t(card->members.front())].inner;
  // Outer frames come before those in them.
  for (size_t g = 0; inner < 0 && g < cards->groups.size(); ++g)
    if (size_t last = cards->groups.size() - 1 - g; cards->groups[last].frame.contains(place))
      inner = int(last);
  return inner < 0 ? std::string() : cards->groups[size_t(inner)].key;
}

int first_node(Card const& card) { return card.chips.empty() ? -1 : card.chips.front().node->id; }

size_t index_of(Cards const& cards, Card const& card) { return size_t(&card - cards.cards.data()); }

Card const* card_of(Cards const* cards, int model_group) {
  if (!cards) return nullptr;
  return first_of(cards->cards, [&](Card const& card) {
    if (card.fold < 0) return card.group == model_group && !card.inside;
    return std::ranges::any_of(card.members, [&](int member) {
      return cards->members[size_t(member)].group == model_group;
    });
  });
}

std::vector<int> nodes_at(Cards const* cards, int card) {
  std::vector<int> nodes;
  if (!cards || card < 0) return nodes;
  for (Findable const& found : cards->findable)
    if (found.card == card) nodes.push_back(found.node->id);
  return nodes;
}

std::vector<int> nodes_beside(Cards const* cards, int node) {
  Findable const* found = findable_of(cards, node);
  return found ? nodes_at(cards, found->card) : std::vector<int>();
}

std::vector<int> nodes_of_group(Cards const* cards, std::string const& key) {
  std::vector<int> nodes;
  if (!group_of(cards, key)) return nodes;
  for (Findable const& found : cards->findable)
    for (int g = found.inner; g >= 0; g = cards->groups[size_t(g)].parent)
      if (cards->groups[size_t(g)].key == key) nodes.push_back(found.node->id);
  return nodes;
}

std::vector<int> nodes_of_kernel(session::GraphView const* graph, int kernel) {
  std::vector<int> nodes;
  if (!graph || kernel < 0) return nodes;
  for (session::GraphGroupView const& group : graph->groups)
    if (group.kernel == kernel) nodes.insert(nodes.end(), group.nodes.begin(), group.nodes.end());
  return nodes;
}

QRectF box_of(Cards const* cards, std::vector<int> const& nodes) {
  QRectF box;
  if (!cards) return box;
  std::vector<int> sorted = nodes;
  std::ranges::sort(sorted);
  for (Findable const& found : cards->findable)
    if (std::ranges::binary_search(sorted, found.node->id))
      box |= cards->cards[size_t(found.card)].box;
  return box;
}

QRectF box_of(Cards const& cards, Group const& group) {
  for (Group const* one = &group;; one = &cards.groups[size_t(one->parent)]) {
    if (one->card >= 0) return cards.cards[size_t(one->card)].box;
    if (!one->frame.isEmpty()) return one->frame;
    if (one->parent < 0) return {};
  }
}

QRectF head_of(Cards const& cards, Group const& group) {
  if (group.card >= 0) return cards.cards[size_t(group.card)].box;
  return {group.frame.topLeft(), QSizeF(group.frame.width(), session::kFrameHead)};
}

std::map<std::string, bool> fold_states(Cards const* cards) {
  std::map<std::string, bool> states;
  if (cards)
    for (Group const& group : cards->groups) states[group.key] = group.open;
  return states;
}

std::map<std::string, bool> innermost_folded(Cards const* cards) {
  std::map<std::string, bool> folded;
  if (!cards) return folded;
  std::vector<char> holds(cards->groups.size(), 0);
  for (Group const& group : cards->groups)
    if (group.parent >= 0 && group.open) holds[size_t(group.parent)] = 1;
  for (size_t g = 0; g < cards->groups.size(); ++g)
    if (cards->groups[g].open && !holds[g]) folded[cards->groups[g].key] = false;
  return folded;
}

size_t card_count(Cards const* cards) { return cards ? cards->cards.size() : 0; }

size_t edge_count(Cards const* cards) { return cards ? cards->borders.size() : 0; }

size_t group_count(Cards const* cards) { return cards ? cards->groups.size() : 0; }

size_t folded_count(Cards const* cards) {
  if (!cards) return 0;
  return size_t(
      std::ranges::count_if(cards->cards, [](Card const& card) { return card.fold >= 0; }));
}

size_t judged_count(Cards const* cards) {
  if (!cards) return 0;
  return size_t(
      std::ranges::count_if(cards->borders, [](Border const& border) { return border.verdict; }));
}

}  // namespace tw::graph
