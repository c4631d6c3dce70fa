// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts set in columns: what they gain, and that lines and cards stand as in one column.
#include <QtTest>

#include <algorithm>
#include <cmath>

#include "engine/session/views/graph_columns.h"
#include "engine/support/base/random.h"

using namespace tw;
using namespace tw::session;

namespace {

Layout chain(int cards) {
  Layout made;
  for (int i = 0; i < cards; ++i) made.nodes.push_back({180, 80});
  for (int i = 1; i < cards; ++i) made.edges.push_back({i - 1, i, {}});
  lay_out(made);
  return made;
}

/// A chain whose cards have other sizes, some of them two or three side by side, with lines that
/// pass cards.
Layout network(Rng& random, int cards) {
  Layout made;
  for (int i = 0; i < cards; ++i)
    made.nodes.push_back({double(80 + random.below(200)), double(40 + random.below(100))});
  for (int i = 1; i < cards; ++i) {
    made.edges.push_back({std::max(0, i - 1 - int(random.below(3))), i, {}});
    if (i > 6 && random.below(4) == 0) made.edges.push_back({i - 2 - int(random.below(5)), i, {}});
  }
  lay_out(made);
  return made;
}

double scale_in(Layout const& layout, double width, double height) {
  return std::min({1.0, width / layout.width, height / layout.height});
}

bool overlap(LayoutNode const& a, LayoutNode const& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/// A piece of a line inside of a card, its border left out.
bool crosses(std::pair<double, double> p, std::pair<double, double> q, LayoutNode const& card) {
  double left = std::min(p.first, q.first), right = std::max(p.first, q.first);
  double top = std::min(p.second, q.second), bottom = std::max(p.second, q.second);
  return left < card.x + card.width - 1 && right > card.x + 1 && top < card.y + card.height - 1 &&
         bottom > card.y + 1;
}

std::string fault_of(Layout const& layout) {
  auto const& nodes = layout.nodes;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].x < -0.5 || nodes[i].y < -0.5) return "a card stands outside";
    for (size_t j = 0; j < i; ++j)
      if (overlap(nodes[i], nodes[j]))
        return "cards " + std::to_string(j) + " and " + std::to_string(i) + " overlap";
  }
  for (LayoutEdge const& edge : layout.edges) {
    LayoutNode const &from = nodes[size_t(edge.from)], &to = nodes[size_t(edge.to)];
    auto const& points = edge.points;
    std::string name = std::to_string(edge.from) + " to " + std::to_string(edge.to);
    if (std::abs(points.front().second - from.y - from.height) > 0.5 ||
        std::abs(points.front().first - from.x - from.width / 2) > 0.5)
      return "the line " + name + " begins elsewhere";
    if (std::abs(points.back().second - to.y) > 0.5 ||
        std::abs(points.back().first - to.x - to.width / 2) > 0.5)
      return "the line " + name + " ends elsewhere";
    for (size_t i = 1; i < points.size(); ++i) {
      if (std::abs(points[i].first - points[i - 1].first) > 0.5 &&
          std::abs(points[i].second - points[i - 1].second) > 0.5)
        return "the line " + name + " runs askew";
      for (LayoutNode const& node : nodes)
        if (crosses(points[i - 1], points[i], node)) return "the line " + name + " crosses a card";
    }
  }
  return {};
}

}  // namespace

class GraphColumnsTest : public QObject {
  Q_OBJECT
private slots:
  void a_chain_is_seen_larger_in_a_wide_room() {
    Layout one = chain(30), columns = one;
    flow_in_columns(columns, 900, 700);
    QVERIFY(scale_in(one, 900, 700) < 0.2);
    QVERIFY2(scale_in(columns, 900, 700) > 0.55,
             qPrintable(QString::number(scale_in(columns, 900, 700))));
    QCOMPARE(fault_of(columns), std::string());
    // In the order of reading: down, then on to the right.
    for (size_t i = 1; i < columns.nodes.size(); ++i) {
      LayoutNode const &before = columns.nodes[i - 1], &after = columns.nodes[i];
      QVERIFY(after.y > before.y || after.x > before.x);
    }
  }

  void what_fits_stays_in_one_column() {
    Layout one = chain(4), columns = one;
    flow_in_columns(columns, 900, 700);
    QCOMPARE(columns.height, one.height);
    QCOMPARE(columns.width, one.width);
    for (size_t i = 0; i < one.nodes.size(); ++i) QCOMPARE(columns.nodes[i].y, one.nodes[i].y);
    Layout nothing;
    flow_in_columns(nothing, 900, 700);
    QVERIFY(nothing.nodes.empty());
  }

  void lines_reach_their_cards_and_cross_none() {
    Rng random(7);
    int flowed = 0;
    for (int round = 0; round < 300; ++round) {
      Layout one = network(random, 2 + int(random.below(60)));
      if (!fault_of(one).empty()) continue;  // a long line of one column may pass under a card
      Layout columns = one;
      double width = double(300 + random.below(1500)), height = double(300 + random.below(1000));
      flow_in_columns(columns, width, height);
      std::string fault = fault_of(columns);
      QVERIFY2(fault.empty(), ("round " + std::to_string(round) + ": " + fault).c_str());
      QVERIFY(scale_in(columns, width, height) >= scale_in(one, width, height));
      flowed += columns.height < one.height - 1;
    }
    QVERIFY2(flowed > 100, qPrintable(QString::number(flowed)));
  }
};

QTEST_APPLESS_MAIN(GraphColumnsTest)
#include "graph_columns_test.moc"
