// SPDX-License-Identifier: GPL-3.0-or-later
/// The cards of a graph with their sizes, places and search words: made off the window's thread,
/// then only read.
#pragma once

#include <QRectF>
#include <QString>
#include <memory>
#include <vector>

#include "engine/session/values.h"
#include "engine/session/views/graph_layout.h"

namespace tw::graph {

inline constexpr double kChip = 28, kHead = 34, kPad = 12, kCard = kHead + kChip + 18;

struct Chip {
  session::GraphNodeView const* node = nullptr;
  QString text;
  double width = 0;
};
struct Card {
  QString title;
  int kernel = -1;
  int group = -1;       ///< of one in a branch or a loop: the model's own group that it runs in
  bool inside = false;  ///< it is in a branch or a loop
  double share = 0;     ///< 0..1 of the model's time
  std::vector<Chip> chips;
  QRectF box;  ///< in the graph's coordinates
};
struct Border {
  session::GraphEdgeView const* edge = nullptr;
  int from = -1, to = -1;  ///< cards
  std::vector<QPointF> points;
  QPointF mark;           ///< half way along, so that the marks of one source's edges keep apart
  bool sideways = false;  ///< the line runs sideways under its mark
  QRectF box;
};
/// A node that can be found: by its name, its operator and its detail.
struct Findable {
  std::string words;  ///< lower case
  int card = -1;
  session::GraphNodeView const* node = nullptr;
};

struct Cards {
  std::shared_ptr<session::GraphView const> graph;  ///< keeps alive what the others point to
  bool before = false;
  std::vector<Card> cards;
  std::vector<Border> borders;
  std::vector<Findable> findable;  ///< in the order of the graph
  double width = 0, height = 0;
};

std::shared_ptr<Cards const> make_cards(std::shared_ptr<session::GraphView const> graph,
                                        bool before);
/// Indices into `findable` of all that contain every word of `text`; none for no words.
std::vector<int> find_nodes(Cards const& cards, QString const& text);
QString chip_text(session::GraphNodeView const& node);

}  // namespace tw::graph
