// The layout of a graph says how far it is, and ends where it is told to.
#include "engine/session/views/graph_layout.h"

#include <QtTest>

#include "engine/session/views/graph_frames.h"

using namespace tw;
using namespace tw::session;

namespace {

/// Every tenth card reads all tens before it: lines pass many layers.
template <typename Layout, typename Cards, typename Card>
Layout dense(Cards Layout::*cards, Card card, int count) {
  Layout layout;
  (layout.*cards).assign(size_t(count), card);
  for (int i = 1; i < count; ++i) {
    layout.edges.push_back({i - 1, i, {}});
    for (int before = 0; i % 10 == 0 && before + 10 < i; before += 10)
      layout.edges.push_back({before, i, {}});
  }
  return layout;
}
Layout dense_layout(int count) {
  return dense(&Layout::nodes, LayoutNode{100, 40, 0, 0, 0}, count);
}
/// The first half of the cards stands in a frame.
FramedLayout dense_frames(int count) {
  FramedLayout layout = dense(&FramedLayout::cards, FramedCard{100, 40, -1, 0, 0}, count);
  layout.frames.push_back({});
  for (int i = 0; i < count / 2; ++i) layout.cards[size_t(i)].frame = 0;
  return layout;
}

struct Count {
  int reports = 0;
  bool went_back = false, went_beyond = false;
  ProgressReport last;
};
/// Stops it after so many reports; 0: never.
template <typename Laid>
std::pair<bool, Count> counted(Laid layout, int stop_after) {
  std::stop_source stop;
  Count count;
  LayoutOptions options;
  options.stop = stop.get_token();
  options.progress = [&](ProgressReport const& report) {
    count.went_back |= report.done < count.last.done;
    count.went_beyond |= report.done > report.total;
    count.last = report;
    if (++count.reports == stop_after) stop.request_stop();
  };
  bool made = lay_out(layout, options);
  return {made, count};
}

template <typename Laid>
void ends_where_it_is_stopped(Laid const& layout, int least) {
  auto const [made, all] = counted(layout, 0);
  QVERIFY(made);
  QVERIFY2(all.reports > least, qPrintable(QString::number(all.reports)));
  QVERIFY(!all.went_back && !all.went_beyond);
  QCOMPARE(all.last.done, all.last.total);
  for (int after : {1, all.reports / 4, all.reports / 2, all.reports - 1}) {
    auto const [whole, some] = counted(layout, after);
    QVERIFY(!whole);
    QCOMPARE(some.reports, after);
  }
}

}  // namespace

class GraphLayoutTest : public QObject {
  Q_OBJECT
private slots:
  void a_layout_ends_with_the_row_at_which_it_is_stopped() {
    ends_where_it_is_stopped(dense_layout(400), 6000);
  }

  void a_layout_in_frames_ends_there_too() { ends_where_it_is_stopped(dense_frames(400), 6000); }

  void one_that_was_stopped_before_it_began_does_nothing() {
    std::stop_source stop;
    stop.request_stop();
    LayoutOptions options;
    options.stop = stop.get_token();
    options.progress = [](ProgressReport const&) { QFAIL("nothing is wanted"); };
    Layout layout = dense_layout(50);
    QVERIFY(!lay_out(layout, options));
    FramedLayout framed = dense_frames(50);
    QVERIFY(!lay_out(framed, options));
  }

  void who_watches_changes_nothing() {
    Layout alone = dense_layout(100), watched = alone;
    LayoutOptions options;
    options.progress = [](ProgressReport const&) {};
    QVERIFY(lay_out(alone) && lay_out(watched, options));
    for (size_t i = 0; i < alone.nodes.size(); ++i) {
      QCOMPARE(alone.nodes[i].x, watched.nodes[i].x);
      QCOMPARE(alone.nodes[i].y, watched.nodes[i].y);
    }
  }
};

QTEST_GUILESS_MAIN(GraphLayoutTest)
#include "graph_layout_test.moc"
