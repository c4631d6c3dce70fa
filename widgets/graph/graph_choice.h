// SPDX-License-Identifier: GPL-3.0-or-later
/// What a click, a double click, the menu's key and the arrow keys are about in a graph: an
/// operator, a kernel, a group, an edge.
#pragma once

#include <QKeyEvent>
#include <QObject>
#include <QPoint>
#include <vector>

#include "widgets/graph/graph_cards.h"

namespace tw {

class GraphCamera;
class GraphLayout;
class GraphMarks;

class GraphChoice : public QObject {
  Q_OBJECT
public:
  GraphChoice(GraphLayout const& layout, GraphCamera& camera, GraphMarks& marks)
      : layout_(layout), camera_(camera), marks_(marks) {}
  /// Up and down go from card to card, which `chosen` tells, not from kernel to kernel.
  void step_by_cards(bool steps) { by_cards_ = steps; }
  /// So many; 0: up and down go nowhere.
  void show_kernels(int count) { kernel_count_ = count; }
  void reset() { hovered_ = -1; }

  // In the graph's coordinates.
  void click(QPointF place);
  /// Of a double click. False: nothing was entered.
  bool enter(QPointF place);
  void hover(QPointF place);
  void leave();
  /// False: the key is not one of these.
  bool press(QKeyEvent const& event);

  /// What a menu was asked for at; of nothing: the whole.
  struct Spot {
    int group = -1;            ///< of the model's own graph
    int node = -1;             ///< an operator of the card; -1: of a folded group, too
    bool on_operator = false;  ///< it is meant itself, not its kernel
  };
  Spot spot_of(graph::Card const& card, graph::Chip const* chip) const;

signals:
  void kernel_chosen(int row);
  /// A card was clicked, or a group stepped to: by its key, which is empty for a node's card.
  void chosen(QString group, int node);
  /// The pointer came to the card of these nodes; none: to no card.
  void hovered(std::vector<int> nodes);
  /// By node ids; `to` is -1 where one node was clicked.
  void reason_asked(int from, int to);
  /// A card was clicked twice, or the return key pressed at the chosen one: an operator of it; -1:
  /// none is chosen, or a folded group.
  void entered(int node);
  void menu_asked(Spot spot, QPoint at);
  /// A group is to be opened or folded.
  void fold_asked(QString key, bool open);

private:
  bool click_group(QPointF place);
  void step_group(int direction);
  void step_card(int direction);
  void step_kernel(int direction);

  GraphLayout const& layout_;
  GraphCamera& camera_;
  GraphMarks& marks_;
  bool by_cards_ = false;
  int kernel_count_ = 0;
  int clicked_ = -1;  ///< an operator of the card that was clicked last
  int hovered_ = -1;  ///< card
};

}  // namespace tw
