// SPDX-License-Identifier: GPL-3.0-or-later
/// What is chosen in a graph, what the pointer is at, and what is different from another graph; by
/// nodes, groups and kernels, and after each layout by cards.
#pragma once

#include <QColor>
#include <QObject>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "engine/session/graph_difference.h"
#include "widgets/graph/graph_cards.h"
#include "widgets/theme/theme.h"

namespace tw {

class GraphLayout;

/// "+", "−", "≠", "↕"; of the same: nothing.
QString change_sign(session::NodeChange change);
QColor change_colour(Theme const& theme, session::NodeChange change);

class GraphMarks : public QObject {
  Q_OBJECT
public:
  using Changes = std::array<int, session::kNodeChanges>;  ///< how many of a card's nodes are what

  explicit GraphMarks(GraphLayout const& layout) : layout_(layout) {}
  void show_kernel(int kernel) { kernel_ = kernel; }
  int kernel() const { return kernel_; }
  /// By its key; empty, or one that is not there: none.
  void choose_group(std::string const& key);
  std::string const& group() const { return group_; }
  /// Cards of these nodes are marked: as chosen, or lightly as what is under the pointer.
  void mark(std::vector<int> nodes);
  void hint(std::vector<int> nodes);
  std::vector<int> const& marked() const { return marked_; }
  std::vector<int> const& hinted() const { return hinted_; }
  /// By node ids; none: nothing is marked as different.
  void show_changes(std::map<int, session::NodeChange> changes);
  /// After a layout, or for another graph.
  void settle();
  void reset();

  bool is_chosen(graph::Card const& card) const;
  bool is_hinted(graph::Card const& card) const;
  graph::Card const* chosen_card() const;
  size_t chosen_count() const;  ///< of cards
  /// The group that keys work on: the one that was clicked, else the one around the kernel.
  std::string chosen_group() const;
  std::vector<Changes> const& card_changes() const { return card_changes_; }
  /// Of a card: "+2 ≠"; empty: nothing is different.
  QString change_words(int card) const;

signals:
  void changed();

private:
  bool holds_kernel(graph::Card const& card) const;
  void count_changes();

  GraphLayout const& layout_;
  int kernel_ = -1;
  std::string group_;
  std::vector<int> marked_, hinted_;  ///< nodes
  std::map<int, session::NodeChange> changes_;
  enum class Level : char { kNone, kHinted, kChosen };
  std::vector<Level> levels_;  ///< of cards
  std::vector<Changes> card_changes_;
};

}  // namespace tw
