// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_cards.h"

#include <QFontMetricsF>
#include <QHash>
#include <QLineF>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "engine/session/views/graph_frames.h"
#include "engine/session/views/graph_groups.h"
#include "engine/session/views/graph_layout.h"
#include "engine/session/views/graph_pairs.h"
#include "widgets/graph/graph_contents.h"
#include "widgets/paint/paint.h"

namespace tw::graph {
namespace {

/// Widths of texts, each measured once: a network has few different ones.
class Ruler {
public:
  explicit Ruler(QFont const& font) : metrics_(font) {}
  double width(QString const& text) {
    auto found = known_.find(text);
    if (found == known_.end()) found = known_.insert(text, metrics_.horizontalAdvance(text));
    return *found;
  }

private:
  QFontMetricsF metrics_;
  QHash<QString, double> known_;
};

std::unordered_map<int, int> fill_cards(Cards& made) {
  std::unordered_map<int, int> of_group, of_node;
  Ruler letters(mono_font(12));
  auto const& nodes = made.before ? made.graph->nodes_before : made.graph->nodes;
  for (auto const& node : nodes) {
    bool grouped = !made.before && node.group >= 0;
    auto found = grouped ? of_group.find(node.group) : of_group.end();
    int index = found == of_group.end() ? int(made.cards.size()) : found->second;
    if (found == of_group.end()) {
      made.cards.push_back({});
      made.cards.back().title = QString::fromStdString(node.name);
      if (grouped) of_group[node.group] = index;
    }
    of_node[node.id] = index;
    QString text = chip_text(node);
    made.cards[size_t(index)].chips.push_back({&node, text, letters.width(text) + 40});
  }
  for (auto const& group : made.graph->groups)
    if (auto found = of_group.find(group.id); found != of_group.end()) {
      Card& card = made.cards[size_t(found->second)];
      card.title = QString::fromStdString(group.name);
      card.kernel = group.kernel;
      card.group = group.outer < 0 ? group.id : group.outer;
      card.inside = group.outer >= 0;
    }
  return of_node;
}

/// Folded groups take the place of the cards in them.
class Folding {
public:
  Folding(Cards& made, std::unordered_map<int, int>& card_of) : made_(made), card_of_(card_of) {
    make_groups();
    add_members();
    for (size_t i = 0; i < made_.cards.size(); ++i) put(int(i));
    made_.cards = std::move(shown_);
    for (auto& [node, card] : card_of_) card = place_[size_t(card)];
  }

private:
  void make_groups() {
    std::vector<session::GroupItem> items;
    for (Card const& card : made_.cards) {
      session::GraphNodeView const& last = *card.chips.back().node;
      items.push_back({scoped_name(card), last.shape});
    }
    for (auto const& edge : made_.before ? made_.graph->edges_before : made_.graph->edges) {
      auto from = card_of_.find(edge.from), to = card_of_.find(edge.to);
      if (to == card_of_.end() || (from == card_of_.end() && edge.from >= 0)) continue;
      edges_.emplace_back(edge.from < 0 ? -1 : from->second, to->second);
    }
    tree_ = session::group_items(items, edges_);
    bool open = made_.folds.all.value_or(made_.cards.size() <= kManyCards);
    for (session::ItemGroup const& group : tree_.groups) {
      auto own = made_.folds.own.find(group.key);
      made_.groups.push_back({paint::shape(group.name),
                              group.key,
                              group.parent,
                              own == made_.folds.own.end() ? open : own->second,
                              {},
                              {},
                              {},
                              -1,
                              {},
                              {},
                              -1});
    }
  }

  /// The name that says most of where a kernel stands: the scopes that its operators share.
  static std::string scoped_name(Card const& card) {
    std::string const& first = card.chips.front().node->name;
    for (Chip const& chip : card.chips)
      if (session::name_scopes(chip.node->name).size() < session::name_scopes(first).size())
        return session::name_scopes(chip.node->name).empty() ? first : chip.node->name;
    return first;
  }

  void add_members() {
    for (size_t i = 0; i < made_.cards.size(); ++i) {
      Card& card = made_.cards[i];
      card.members = {int(i)};
      made_.members.push_back({card.kernel, card.group, tree_.group_of[i]});
    }
    describe_groups(made_, edges_);
  }

  /// The outermost folded group around a card stands for it.
  void put(int index) {
    int folded = -1;
    for (int g = tree_.group_of[size_t(index)]; g >= 0; g = made_.groups[size_t(g)].parent)
      if (!made_.groups[size_t(g)].open) folded = g;
    if (folded < 0) {
      place_.push_back(int(shown_.size()));
      return shown_.push_back(std::move(made_.cards[size_t(index)]));
    }
    Group& group = made_.groups[size_t(folded)];
    if (group.card < 0) {
      group.card = int(shown_.size());
      shown_.push_back({});
      shown_.back().title = group.title;
      shown_.back().fold = folded;
    }
    Card& card = shown_[size_t(group.card)];
    card.members.push_back(index);
    place_.push_back(group.card);
  }

  Cards& made_;
  std::unordered_map<int, int>& card_of_;
  session::ItemGroups tree_;
  std::vector<std::pair<int, int>> edges_;  ///< from card to card
  std::vector<Card> shown_;
  std::vector<int> place_;  ///< for each member the card that shows it
};

/// What fusion said of edges: it judges those of the graph that the passes before it left, whose
/// nodes and values keep their names where they stay.
class Verdicts {
public:
  Verdicts(session::GraphView const& graph, bool before) : before_(before) {
    if (!before_) return;
    for (auto const& node : graph.nodes_before) names_[node.id] = &node.name;
    std::unordered_map<int, std::string const*> after;
    for (auto const& node : graph.nodes) after[node.id] = &node.name;
    for (auto const& edge : graph.edges)
      if (edge.from >= 0 && edge.to >= 0 && !edge.rule.empty())
        said_[{*after.at(edge.from), *after.at(edge.to), edge.value}] = &edge;
  }
  session::GraphEdgeView const* of(session::GraphEdgeView const& edge) const {
    if (!before_) return edge.rule.empty() ? nullptr : &edge;
    auto from = names_.find(edge.from), to = names_.find(edge.to);
    if (from == names_.end() || to == names_.end()) return nullptr;
    auto found = said_.find({*from->second, *to->second, edge.value});
    return found == said_.end() ? nullptr : found->second;
  }

private:
  bool before_;
  std::unordered_map<int, std::string const*> names_;
  std::map<std::tuple<std::string, std::string, std::string>, session::GraphEdgeView const*> said_;
};

/// One line between two cards; of several edges one that fusion judged.
void fill_borders(Cards& made, std::unordered_map<int, int> const& card_of) {
  std::map<std::pair<int, int>, size_t> seen;
  Verdicts verdicts(*made.graph, made.before);
  for (auto const& edge : made.before ? made.graph->edges_before : made.graph->edges) {
    auto from = card_of.find(edge.from), to = card_of.find(edge.to);
    if (from == card_of.end() || to == card_of.end() || from->second == to->second) continue;
    auto [place, added] = seen.emplace(std::pair(from->second, to->second), made.borders.size());
    session::GraphEdgeView const* verdict = verdicts.of(edge);
    if (added) {
      made.borders.push_back(
          {&edge, verdict, from->second, to->second, {}, {}, false, false, {}, {}});
    } else if (Border& border = made.borders[place->second]; verdict && !border.verdict) {
      border.edge = &edge;
      border.verdict = verdict;
    }
  }
}

/// By node: "conv2d_3", and the name of the first kernel that is equal to it. Before fusion that of
/// the node that stands for it.
std::unordered_map<int, std::string> kernel_names(Cards const& made) {
  std::unordered_map<int, std::string const*> first;
  std::unordered_map<int, std::string> of_group, names;
  for (session::GraphGroupView const& group : made.graph->groups) {
    std::string const* same = first.emplace(group.kernel, &group.name).first->second;
    of_group[group.id] = lower_case(*same == group.name ? *same : group.name + ' ' + *same);
  }
  for (session::GraphNodeView const& node : made.graph->nodes)
    if (auto group = of_group.find(node.group); group != of_group.end())
      names[node.id] = group->second;
  if (!made.before) return names;
  std::unordered_map<int, std::string> before;
  for (auto const& [node, after] : session::pair_nodes(*made.graph).after)
    if (auto name = names.find(after); name != names.end()) before[node] = name->second;
  return before;
}

void fill_words(Cards& made, std::unordered_map<int, int> const& card_of) {
  auto const& nodes = made.before ? made.graph->nodes_before : made.graph->nodes;
  auto kernels = kernel_names(made);
  made.findable.reserve(nodes.size());
  for (auto const& node : nodes)
    made.findable.push_back({lower_case(node.name), lower_case(node.op + ' ' + node.detail),
                             std::move(kernels[node.id]), card_of.at(node.id), &node, -1});
}

/// More than one layer of cards apart.
bool skips_cards(Border const& border, Cards const& made) {
  double gap =
      made.cards[size_t(border.to)].box.top() - made.cards[size_t(border.from)].box.bottom();
  return border.points.size() > 4 || gap > kCard + session::LayoutOptions().layer_gap;
}

void finish_border(Border& border, Cards const& made) {
  border.skips = skips_cards(border, made);
  auto const& points = border.points;
  double length = 0, passed = 0;
  double left = points[0].x(), right = left;
  double top = points[0].y(), bottom = top;
  size_t turn = 0;  // where it goes up to the next column
  for (size_t i = 1; i < points.size(); ++i) length += QLineF(points[i - 1], points[i]).length();
  border.mark = points[0];
  for (size_t i = 1; i < points.size(); ++i) {
    QLineF piece(points[i - 1], points[i]);
    left = std::min(left, points[i].x()), right = std::max(right, points[i].x());
    top = std::min(top, points[i].y()), bottom = std::max(bottom, points[i].y());
    if (points[i - 1].y() - points[i].y() > kCard) turn = i;
    if (passed <= length / 2 && passed + piece.length() >= length / 2 && piece.length() > 0)
      border.mark = piece.pointAt((length / 2 - passed) / piece.length());
    passed += piece.length();
  }
  for (size_t i = 1; i < points.size() && points.size() > 2; ++i)
    border.sideways |=
        points[i].y() == points[i - 1].y() && std::abs(points[i].y() - border.mark.y()) < 1;
  // One that goes up to the next column says what passes where it comes in: a gutter is narrow.
  if (turn > 0 && turn + 2 < points.size()) {
    border.mark = points[turn + 1] + QPointF(0, 14);
    border.sideways = false;
  }
  border.box =
      QRectF(QPointF(left, top), QPointF(right, bottom)).adjusted(-10, -10, 10, 10);  // its mark
}

/// Open groups that have a card or an open group in them.
std::vector<int> frames_of(Cards const& made, session::FramedLayout& layout, Ruler& titles) {
  std::vector<int> frame_of(made.groups.size(), -1);
  for (size_t g = 0; g < made.groups.size(); ++g) {
    Group const& group = made.groups[g];
    int parent = group.parent;
    bool inside = parent >= 0 && frame_of[size_t(parent)] < 0;  // of a folded one
    if (!group.open || inside) continue;
    frame_of[g] = int(layout.frames.size());
    double width = titles.width(group.title) + titles.width(group.words) + 260;
    layout.frames.push_back({parent < 0 ? -1 : frame_of[size_t(parent)], width, 0, 0, 0, 0});
  }
  return frame_of;
}

double width_of(Cards const& made, Card const& card, Ruler& titles) {
  double title = titles.width(card.title) + 150;
  if (card.fold >= 0)
    return std::max(title + 20, titles.width(made.groups[size_t(card.fold)].contents) + 60);
  double width = kPad;
  for (Chip const& chip : card.chips) width += chip.width + 8;
  return std::max(width + kPad - 8, title);
}

/// Right of its mark, else left of it, where no other one stands; none where there is no room.
/// False: it was stopped.
bool place_labels(Cards& made, StopToken const& stop) {
  Ruler digits(mono_font(11));
  std::vector<Border*> downwards;
  for (Border& border : made.borders)
    if (!border.points.empty()) downwards.push_back(&border);
  std::ranges::stable_sort(downwards, {}, [](Border const* border) { return border->mark.y(); });
  constexpr double kReach = 48;  // a label is never further from its mark
  auto disc = [](Border const& border) {
    return QRectF(border.mark - QPointF(8, 8), QSizeF(16, 16));
  };
  for (size_t i = 0; i < downwards.size(); ++i) {
    if (stop.stop_requested()) return false;
    Border& border = *downwards[i];
    QPointF mid = border.mark;
    double wide = digits.width(paint::shape(border.edge->shape)) + 2;
    double top = mid.y() - (border.sideways ? 18 : 8);
    auto is_free = [&](QRectF const& place) {
      for (size_t j = i; j-- > 0 && downwards[j]->mark.y() > mid.y() - kReach;)
        if (downwards[j]->label.intersects(place) || disc(*downwards[j]).intersects(place))
          return false;
      for (size_t j = i + 1; j < downwards.size() && downwards[j]->mark.y() < mid.y() + kReach; ++j)
        if (disc(*downwards[j]).intersects(place)) return false;
      return true;
    };
    for (double left : {mid.x() + 13, mid.x() - 13 - wide})
      if (QRectF place(left, top, wide, 16); border.label.isEmpty() && is_free(place))
        border.label = place;
    constexpr double kBytes = 90;  // may stand behind the shape
    if (!border.label.isEmpty()) border.box |= border.label.adjusted(0, 0, kBytes, 0);
  }
  return true;
}

/// At the right of a frame's head, where no line says what passes there. False: it was stopped.
bool place_notes(Cards& made, StopToken const& stop) {
  Ruler small(ui_font(11));
  std::vector<Border const*> downwards;
  for (Border const& border : made.borders)
    if (!border.points.empty()) downwards.push_back(&border);
  auto height = [](Border const* border) { return border->mark.y(); };
  std::ranges::sort(downwards, {}, height);
  constexpr double kNear = 48;  // what a line says stands no further from its mark
  for (Group& group : made.groups) {
    if (stop.stop_requested()) return false;
    if (group.alike.isEmpty() || group.frame.isEmpty()) continue;
    double wide = small.width(group.alike) + 2;
    QRectF note(group.frame.right() - kPad - wide, group.frame.top() + 5, wide, 24);
    auto covers = [&](Border const* border) {
      QRectF disc(border->mark - QPointF(10, 10), QSizeF(20, 20));
      return border->label.intersects(note) || disc.intersects(note);
    };
    auto first = std::ranges::lower_bound(downwards, note.top() - kNear, {}, height);
    auto last = std::ranges::upper_bound(downwards, note.bottom() + kNear, {}, height);
    if (note.left() > group.frame.left() + kPad && std::none_of(first, last, covers))
      group.note = note;
  }
  return true;
}

session::FramedLayout layout_of(Cards const& made, std::vector<int>& frame_of) {
  session::FramedLayout layout;
  Ruler titles(ui_font(13, 600));
  frame_of = frames_of(made, layout, titles);
  for (Card const& card : made.cards) {
    int group = card.fold >= 0 ? made.groups[size_t(card.fold)].parent
                               : made.members[size_t(card.members.front())].inner;
    layout.cards.push_back(
        {width_of(made, card, titles), kCard, group < 0 ? -1 : frame_of[size_t(group)], 0, 0});
  }
  for (Border const& border : made.borders) layout.edges.push_back({border.from, border.to, {}});
  if (!made.folds.room.isEmpty()) {
    layout.room_width = made.folds.room.width();
    layout.room_height = made.folds.room.height();
  }
  return layout;
}

void take_places(Cards& made, session::FramedLayout const& layout,
                 std::vector<int> const& frame_of) {
  for (size_t i = 0; i < made.cards.size(); ++i) {
    auto const& at = layout.cards[i];
    made.cards[i].box = QRectF(at.x, at.y, at.width, at.height);
  }
  for (size_t g = 0; g < made.groups.size(); ++g)
    if (frame_of[g] >= 0) {
      auto const& at = layout.frames[size_t(frame_of[g])];
      made.groups[g].frame = QRectF(at.x, at.y, at.width, at.height);
    }
  for (size_t e = 0; e < made.borders.size(); ++e) {
    for (auto const& [x, y] : layout.edges[e].points) made.borders[e].points.emplace_back(x, y);
    if (!made.borders[e].points.empty()) finish_border(made.borders[e], made);
  }
  made.width = layout.width;
  made.height = layout.height;
}

/// False: it was stopped.
bool place(Cards& made, StopToken const& stop, Progress const& progress) {
  std::vector<int> frame_of;
  session::FramedLayout layout = layout_of(made, frame_of);
  if (!session::lay_out(layout, {.stop = stop, .progress = progress})) return false;
  take_places(made, layout, frame_of);
  return place_labels(made, stop) && place_notes(made, stop);
}

}  // namespace

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return c < 0x80 ? char(std::tolower(c)) : char(c);
  });
  return text;
}

QString chip_text(session::GraphNodeView const& node) {
  QString op = QString::fromStdString(node.op);
  return node.detail.empty() ? op : op + " " + paint::shape(node.detail);
}

std::shared_ptr<Cards const> make_cards(std::shared_ptr<session::GraphView const> graph,
                                        bool before, Folds const& folds, StopToken stop,
                                        Progress const& progress) {
  auto began = std::chrono::steady_clock::now();
  auto made = std::make_shared<Cards>();
  made->graph = std::move(graph);
  made->before = before;
  made->folds = folds;
  auto card_of = fill_cards(*made);
  auto member_of = card_of;
  if (stop.stop_requested()) return nullptr;
  Folding(*made, card_of);
  if (stop.stop_requested()) return nullptr;
  fill_borders(*made, card_of);
  fill_words(*made, card_of);
  for (Findable& found : made->findable)
    found.inner = made->members[size_t(member_of.at(found.node->id))].inner;
  if (!place(*made, stop, progress)) return nullptr;
  made->took_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  return made;
}

Judged judged_edge(session::GraphView const& graph, bool before, int from, int to) {
  Verdicts verdicts(graph, before);
  Judged found;
  for (auto const& edge : before ? graph.edges_before : graph.edges) {
    if (edge.from != from || edge.to != to || found.verdict) continue;
    session::GraphEdgeView const* verdict = verdicts.of(edge);
    if (!found.edge || verdict) found = {&edge, verdict};
  }
  return found;
}

}  // namespace tw::graph
