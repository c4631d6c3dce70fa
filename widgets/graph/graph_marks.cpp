// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_marks.h"

#include <algorithm>
#include <utility>

#include "widgets/graph/graph_layout.h"
#include "widgets/graph/graph_lookup.h"

namespace tw {

using graph::Card;
using session::NodeChange;

QString change_sign(NodeChange change) {
  static QString const kSigns[] = {"", "+", QStringLiteral("−"), QStringLiteral("≠"),
                                   QStringLiteral("↕")};
  return kSigns[size_t(change)];
}

QColor change_colour(Theme const& theme, NodeChange change) {
  switch (change) {
    case NodeChange::kAdded:
      return theme.added;
    case NodeChange::kRemoved:
      return theme.removed;
    case NodeChange::kMoved:
      return theme.moved;
    case NodeChange::kChanged:
      return theme.warn;
    case NodeChange::kSame:
      break;
  }
  return theme.text3;
}

// ---- what is marked ------------------------------------------------------------------------

void GraphMarks::choose_group(std::string const& key) {
  group_ = group_of(layout_.cards(), key) ? key : std::string();
  emit changed();
}

void GraphMarks::mark(std::vector<int> nodes) {
  if (nodes == marked_) return;
  marked_ = std::move(nodes);
  settle();
}

void GraphMarks::hint(std::vector<int> nodes) {
  if (nodes == hinted_) return;
  hinted_ = std::move(nodes);
  settle();
}

void GraphMarks::show_changes(std::map<int, NodeChange> changes) {
  changes_ = std::move(changes);
  count_changes();
  emit changed();
}

void GraphMarks::reset() {
  group_.clear();
  marked_.clear();
  hinted_.clear();
  levels_.clear();
}

void GraphMarks::settle() {
  count_changes();
  graph::Cards const* cards = layout_.cards();
  levels_.assign(cards ? cards->cards.size() : 0, Level::kNone);
  auto put = [&](std::vector<int> const& nodes, Level level) {
    std::vector<int> sorted = nodes;
    std::ranges::sort(sorted);
    for (graph::Findable const& found : cards->findable)
      if (std::ranges::binary_search(sorted, found.node->id)) levels_[size_t(found.card)] = level;
  };
  if (cards && !hinted_.empty()) put(hinted_, Level::kHinted);
  if (cards && !marked_.empty()) put(marked_, Level::kChosen);
  emit changed();
}

/// Of each card: how many of its nodes are what.
void GraphMarks::count_changes() {
  graph::Cards const* cards = layout_.cards();
  card_changes_.assign(changes_.empty() || !cards ? 0 : cards->cards.size(), {});
  if (card_changes_.empty()) return;
  for (graph::Findable const& found : cards->findable)
    if (auto change = changes_.find(found.node->id); change != changes_.end())
      ++card_changes_[size_t(found.card)][size_t(change->second)];
}

// ---- what that comes to on the cards --------------------------------------------------------

bool GraphMarks::holds_kernel(Card const& card) const {
  return kernel_ >= 0 && std::ranges::any_of(card.members, [&](int member) {
           return layout_.cards()->members[size_t(member)].kernel == kernel_;
         });
}

bool GraphMarks::is_chosen(Card const& card) const {
  size_t index = index_of(*layout_.cards(), card);
  if (index < levels_.size() && levels_[index] == Level::kChosen) return true;
  if (card.fold < 0) return card.kernel >= 0 && card.kernel == kernel_;
  return holds_kernel(card) || layout_.cards()->groups[size_t(card.fold)].key == group_;
}

bool GraphMarks::is_hinted(Card const& card) const {
  size_t index = index_of(*layout_.cards(), card);
  return index < levels_.size() && levels_[index] == Level::kHinted;
}

Card const* GraphMarks::chosen_card() const {
  if (!layout_.cards()) return nullptr;
  auto const& cards = layout_.cards()->cards;
  auto found = std::ranges::find_if(cards, [&](Card const& card) { return is_chosen(card); });
  return found == cards.end() ? nullptr : &*found;
}

size_t GraphMarks::chosen_count() const {
  if (!layout_.cards()) return 0;
  return size_t(std::ranges::count_if(layout_.cards()->cards,
                                      [&](Card const& card) { return is_chosen(card); }));
}

std::string GraphMarks::chosen_group() const {
  graph::Cards const* cards = layout_.cards();
  if (graph::Group const* group = group_of(cards, group_); group && group->seen()) return group_;
  if (!cards) return {};
  for (Card const& card : cards->cards) {
    if (!holds_kernel(card)) continue;
    int group = card.fold >= 0 ? card.fold : cards->members[size_t(card.members.front())].inner;
    if (group >= 0) return cards->groups[size_t(group)].key;
  }
  return {};
}

QString GraphMarks::change_words(int card) const {
  QString words;
  if (card < 0 || size_t(card) >= card_changes_.size()) return words;
  Changes const& counts = card_changes_[size_t(card)];
  for (size_t change = 1; change < counts.size(); ++change) {
    if (counts[change] == 0) continue;
    words += (words.isEmpty() ? "" : " ") + change_sign(NodeChange(change));
    if (layout_.cards()->cards[size_t(card)].fold >= 0 || counts[change] > 1)
      words += QString::number(counts[change]);
  }
  return words;
}

}  // namespace tw
