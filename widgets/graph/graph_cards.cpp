// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_cards.h"

#include <QFontMetricsF>
#include <QHash>
#include <QLineF>
#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

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
      card.share = group.time_share;
    }
  return of_node;
}

void fill_borders(Cards& made, std::unordered_map<int, int> const& card_of) {
  std::set<std::pair<int, int>> seen;
  for (auto const& edge : made.before ? made.graph->edges_before : made.graph->edges) {
    auto from = card_of.find(edge.from), to = card_of.find(edge.to);
    if (from == card_of.end() || to == card_of.end() || from->second == to->second) continue;
    if (seen.insert({from->second, to->second}).second)
      made.borders.push_back({&edge, from->second, to->second, {}, {}, false, {}});
  }
}

void fill_words(Cards& made, std::unordered_map<int, int> const& card_of) {
  auto const& nodes = made.before ? made.graph->nodes_before : made.graph->nodes;
  made.findable.reserve(nodes.size());
  for (auto const& node : nodes) {
    std::string words = node.name + ' ' + node.op + ' ' + node.detail;
    std::transform(words.begin(), words.end(), words.begin(),
                   [](unsigned char c) { return c < 0x80 ? char(std::tolower(c)) : char(c); });
    made.findable.push_back({std::move(words), card_of.at(node.id), &node});
  }
}

void finish_border(Border& border) {
  auto const& points = border.points;
  double length = 0, passed = 0;
  double left = points[0].x(), right = left;
  for (size_t i = 1; i < points.size(); ++i) length += QLineF(points[i - 1], points[i]).length();
  border.mark = points[0];
  for (size_t i = 1; i < points.size(); ++i) {
    QLineF piece(points[i - 1], points[i]);
    left = std::min(left, points[i].x()), right = std::max(right, points[i].x());
    if (passed <= length / 2 && passed + piece.length() >= length / 2 && piece.length() > 0)
      border.mark = piece.pointAt((length / 2 - passed) / piece.length());
    passed += piece.length();
  }
  for (size_t i = 1; i < points.size() && points.size() > 2; ++i)
    border.sideways |=
        points[i].y() == points[i - 1].y() && std::abs(points[i].y() - border.mark.y()) < 1;
  border.box = QRectF(QPointF(left, points.front().y()), QPointF(right, points.back().y()))
                   .normalized()
                   .adjusted(-8, -20, 160, 8);  // its mark and its words
}

void place(Cards& made) {
  session::Layout layout;
  Ruler titles(ui_font(13, 600));
  for (Card const& card : made.cards) {
    double width = kPad;
    for (Chip const& chip : card.chips) width += chip.width + 8;
    layout.nodes.push_back(
        {std::max(width + kPad - 8, titles.width(card.title) + 120), kCard, 0, 0, 0});
  }
  for (Border const& border : made.borders) layout.edges.push_back({border.from, border.to, {}});
  session::lay_out(layout);
  for (size_t i = 0; i < made.cards.size(); ++i) {
    auto const& at = layout.nodes[i];
    made.cards[i].box = QRectF(at.x, at.y, at.width, at.height);
  }
  for (size_t e = 0; e < made.borders.size(); ++e) {
    for (auto const& [x, y] : layout.edges[e].points) made.borders[e].points.emplace_back(x, y);
    if (!made.borders[e].points.empty()) finish_border(made.borders[e]);
  }
  made.width = layout.width;
  made.height = layout.height;
}

}  // namespace

QString chip_text(session::GraphNodeView const& node) {
  QString op = QString::fromStdString(node.op);
  return node.detail.empty() ? op : op + " " + paint::shape(node.detail);
}

std::shared_ptr<Cards const> make_cards(std::shared_ptr<session::GraphView const> graph,
                                        bool before) {
  auto made = std::make_shared<Cards>();
  made->graph = std::move(graph);
  made->before = before;
  auto card_of = fill_cards(*made);
  fill_borders(*made, card_of);
  fill_words(*made, card_of);
  place(*made);
  return made;
}

std::vector<int> find_nodes(Cards const& cards, QString const& text) {
  std::vector<std::string> words;
  for (QString const& word : text.toLower().split(' ', Qt::SkipEmptyParts))
    words.push_back(word.toStdString());
  std::vector<int> found;
  for (size_t i = 0; i < cards.findable.size() && !words.empty(); ++i)
    if (std::all_of(words.begin(), words.end(), [&](std::string const& word) {
          return cards.findable[i].words.find(word) != std::string::npos;
        }))
      found.push_back(int(i));
  return found;
}

}  // namespace tw::graph
