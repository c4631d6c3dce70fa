// SPDX-License-Identifier: GPL-3.0-or-later
/// The cards of a graph with their sizes, places and search words: made off the window's thread,
/// then only read.
#pragma once

#include <QRectF>
#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/session/values.h"
#include "engine/support/base/job.h"

namespace tw::graph {

/// A graph with more cards than this has its groups folded at first.
inline constexpr size_t kManyCards = 60;
/// Under this scale letters are under six pixels tall and only cost time; names are then set in a
/// size of their own.
inline constexpr double kReadable = 0.5;
inline constexpr double kNoteRoom = 24;  ///< between a head's words and its note
inline constexpr double kChip = 28, kHead = 34, kPad = 12, kCard = kHead + kChip + 18;

struct Chip {
  session::GraphNodeView const* node = nullptr;
  QString text;
  double width = 0;
};
/// What was opened and folded by hand, and the room that all of it is to be seen in.
struct Folds {
  std::optional<bool> all;          ///< every group, before those below: open or not
  std::map<std::string, bool> own;  ///< by a group's key: open or not
  /// In units: the graph flows in columns to be seen large in it; empty: down in one.
  QSizeF room = {};
  bool operator==(Folds const&) const = default;
};
/// One kernel, or one operator: what a card stands for alone, and a folded group's for several.
struct Member {
  int kernel = -1, group = -1;  ///< as of a card
  int inner = -1;               ///< the innermost group of the tree that it is in
};
struct Group {
  QString title;
  std::string key;
  int parent = -1;
  bool open = false;
  QString words;     ///< "5 kernels"
  QString contents;  ///< "2 blocks · 4 × conv2d"; as `words` where there is no more to say
  QString alike;     ///< "same operators as layer3.0, layer4.0"; empty: none has
  int card = -1;     ///< of a folded one that can be seen
  QRectF frame;      ///< of an open one that can be seen
  QRectF note;       ///< where `alike` stands in the frame's head; empty: no room
  int form = -1;     ///< groups with the same one are built alike; -1: nothing is in it
  bool seen() const { return card >= 0 || !frame.isEmpty(); }
};
struct Card {
  QString title;
  int fold = -1;             ///< the group that it stands for, folded
  std::vector<int> members;  ///< of `Cards`
  int kernel = -1;
  int group = -1;       ///< of one in a branch or a loop: the model's own group that it runs in
  bool inside = false;  ///< it is in a branch or a loop
  std::vector<Chip> chips;
  QRectF box;  ///< in the graph's coordinates
};
struct Border {
  session::GraphEdgeView const* edge = nullptr;
  session::GraphEdgeView const* verdict = nullptr;  ///< what fusion said of it; null: nothing
  int from = -1, to = -1;                           ///< cards
  std::vector<QPointF> points;
  QPointF mark;           ///< half way along, so that the marks of one source's edges keep apart
  bool sideways = false;  ///< the line runs sideways under its mark
  bool skips = false;     ///< it passes other cards
  QRectF label;           ///< where the shape of what passes stands; empty: others are there
  QRectF box;
};
/// A node that can be found by its words, which are in lower case.
struct Findable {
  std::string name;
  std::string op;      ///< with its detail: "conv2d 3x3"
  std::string kernel;  ///< names of the kernel that computes it
  int card = -1;
  session::GraphNodeView const* node = nullptr;
  int inner = -1;  ///< the innermost group that it is in
};

struct Cards {
  std::shared_ptr<session::GraphView const> graph;  ///< keeps alive what the others point to
  bool before = false;
  Folds folds;
  std::vector<Member> members;
  std::vector<Group> groups;  ///< outer ones before those in them
  std::vector<Card> cards;
  std::vector<Border> borders;
  std::vector<Findable> findable;  ///< in the order of the graph
  double width = 0, height = 0;
  double took_ms = 0;  ///< to lay out
};

/// Null: it was stopped.
std::shared_ptr<Cards const> make_cards(std::shared_ptr<session::GraphView const> graph,
                                        bool before, Folds const& folds, StopToken stop = {},
                                        Progress const& progress = {});
QString chip_text(session::GraphNodeView const& node);
/// Of its Latin letters.
std::string lower_case(std::string text);
/// What fusion said of the edges from one node to another; `edge`: null where there is none.
struct Judged {
  session::GraphEdgeView const* edge = nullptr;
  session::GraphEdgeView const* verdict = nullptr;  ///< null: nothing
};
Judged judged_edge(session::GraphView const& graph, bool before, int from, int to);

}  // namespace tw::graph
