// The layout of a large graph beside the window: stopped when it is cancelled or another one is
// wanted, and begun again.
#include <QtTest>

#include <QLabel>
#include <QPushButton>
#include <QThreadPool>

#include "tests/gui/dense_graph.h"
#include "tests/gui/workplace.h"
#include "widgets/difference/difference_view.h"
#include "widgets/graph/layout_notice.h"
#include "widgets/graph/layout_run.h"
#include "widgets/paint/paint.h"

using namespace tw;
using namespace tw::testing;

class GraphLayOutTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { large_ = dense_graph(40000); }

  void cards_are_not_made_to_the_end_when_it_is_stopped() {
    int all = 0;
    QVERIFY(graph::make_cards(dense_graph(900), true, {true, {}}, {},
                              [&](ProgressReport const&) { ++all; }));
    QVERIFY(all > 1000);
    for (int after : {1, 40, all / 2}) {
      std::stop_source stop;
      int reports = 0;
      auto made = graph::make_cards(dense_graph(900), true, {true, {}}, stop.get_token(),
                                    [&](ProgressReport const&) {
                                      if (++reports == after) stop.request_stop();
                                    });
      QVERIFY(!made);
      QCOMPARE(reports, after);
    }
  }

  void a_layout_that_is_stopped_never_comes() {
    LayoutRun run(nullptr);
    QSignalSpy made(&run, &LayoutRun::made);
    run.start({large_, true, {true, {}, {}}});
    while (run.percent() < 2) QTest::qWait(1);
    QVERIFY(run.runs());
    run.stop();
    QVERIFY(!run.runs());
    QThreadPool::globalInstance()->waitForDone();
    QVERIFY2(run.percent() < 100, "it ended early");
    QTest::qWait(20);
    QCOMPARE(made.count(), 0);
  }

  void another_layout_stops_the_one_that_runs() {
    LayoutRun run(nullptr);
    QSignalSpy made(&run, &LayoutRun::made);
    run.start({large_, true, {true, {}, {}}});
    while (run.percent() < 2) QTest::qWait(1);
    auto small = dense_graph(30);
    run.start({large_, false, {true, {}, {}}});
    run.start({small, true, {}});
    QTRY_COMPARE(made.count(), 1);
    QCOMPARE(made[0][0].value<std::shared_ptr<graph::Cards const>>()->graph, small);
    QVERIFY(!run.runs());
  }

  void what_is_asked_for_again_while_it_stops_comes_all_the_same() {
    LayoutRun run(nullptr);
    QSignalSpy made(&run, &LayoutRun::made);
    auto graph = dense_graph(3000);
    run.start({graph, true, {true, {}, {}}});
    run.stop();
    run.start({graph, true, {true, {}, {}}});
    QTRY_COMPARE(made.count(), 1);
    QCOMPARE(made[0][0].value<std::shared_ptr<graph::Cards const>>()->cards.size(), size_t(3000));
  }

  void a_quick_layout_says_nothing() {
    GraphView view;
    prepare(view);
    view.show_graph(dense_graph(900), nullptr, -1);
    QSignalSpy changed(view.findChild<LayoutNotice*>(), &LayoutNotice::changed);
    wait_for_layout(view);
    QCOMPARE(changed.count(), 0);
    QVERIFY(view.notice().words().isEmpty());
  }

  void what_was_shown_stays_when_the_next_layout_is_cancelled() {
    GraphView view;
    begin_large(view);
    size_t cards = card_count(view.cards()), folded = folded_count(view.cards());
    QVERIFY(folded > 0);
    double width = view.cards()->width;
    wait_for_words(view);
    QVERIFY2(view.notice().words().startsWith("Laying out 40000 nodes: "),
             qPrintable(view.notice().words()));
    button(view)->click();
    QVERIFY(!view.layout().busy() && view.layout().was_cancelled());
    QCOMPARE(view.notice().words(), QString("Layout cancelled; the previous one is shown."));
    QThreadPool::globalInstance()->waitForDone();
    QTest::qWait(20);
    QCOMPARE(card_count(view.cards()), cards);
    QCOMPARE(view.cards()->width, width);
    QCOMPARE(folded_count(view.cards()), folded);
    view.grab();
  }

  void it_begins_again_from_the_button() {
    GraphView view;
    begin_large(view);
    wait_for_words(view);
    button(view)->click();
    QCOMPARE(button(view)->text(), QString("Lay out"));
    button(view)->click();
    QVERIFY(view.layout().busy() && !view.layout().was_cancelled() &&
            view.notice().words().isEmpty());
    wait_for_layout(view);
    QCOMPARE(card_count(view.cards()), size_t(40000));
    QVERIFY(view.notice().words().isEmpty());
  }

  void without_a_layout_before_it_one_sentence_stands_in_the_middle() {
    GraphView view;
    prepare(view);
    view.notice().set_patience(0);
    view.show_graph(large_, nullptr, -1);
    view.layout().fold_all(true);
    wait_for_words(view);
    button(view)->click();
    QVERIFY(!view.layout().busy() && !view.layout().is_laid_out());
    QCOMPARE(view.notice().words(), QString("The layout of the graph was cancelled."));
    auto* notice = view.findChild<LayoutNotice*>();
    QPoint apart = notice->geometry().center() - view.rect().center();
    QVERIFY(apart.manhattanLength() <= 2);
    paint::TextLog log;
    view.grab();
    QVERIFY2(log.texts.empty(), "nothing else is said");
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY2(!view.notice().words().isEmpty(), "it is all there is");
    view.layout().fold_all(false);
    wait_for_layout(view);
    QVERIFY2(view.layout().is_laid_out() && view.notice().words().isEmpty(),
             "what else is asked for is laid out");
  }

  void escape_cancels_it_and_takes_the_sentence_away() {
    GraphView view;
    begin_large(view);
    wait_for_words(view);
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(view.layout().was_cancelled());
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!view.layout().was_cancelled() && view.notice().words().isEmpty());
    QVERIFY(view.layout().is_laid_out() && !view.layout().busy());
  }

  void another_graph_takes_the_sentence_away() {
    GraphView view;
    begin_large(view);
    view.layout().cancel();
    view.show_graph(dense_graph(30), nullptr, -1);
    QVERIFY(!view.layout().was_cancelled() && view.notice().words().isEmpty());
    wait_for_layout(view);
    view.layout().fold_all(true);
    view.layout().cancel();
    view.show_graph(nullptr, nullptr, -1);
    QVERIFY(!view.layout().busy() && !view.layout().was_cancelled() &&
            view.notice().words().isEmpty());
    view.grab();
  }

  void a_picture_of_the_whole_is_without_the_sentence() {
    GraphView view;
    begin_large(view);
    view.layout().cancel();
    view.begin_whole();
    QVERIFY(view.notice().words().isEmpty());
    view.end_whole();
    QVERIFY(!view.notice().words().isEmpty());
  }

  void a_view_is_closed_at_once_while_its_graph_is_laid_out() {
    auto run = std::make_unique<LayoutRun>(nullptr);
    run->start({large_, true, {true, {}, {}}});
    while (run->percent() < 2) QTest::qWait(1);
    std::weak_ptr<session::GraphView const> graph = large_;
    run.reset();
    QCOMPARE(graph.use_count(), 1L);
  }

  void two_graphs_that_are_compared_have_it_too() {
    DifferenceView view;
    for (bool before : {false, true}) {
      QSignalSpy cancelled(&view.view(before).layout(), &GraphLayout::cancelled);
      view.view(before).show_graph(large_, nullptr, -1);
      emit view.view(before).layout().cancel_typed();
      QCOMPARE(cancelled.count(), 1);
      emit view.view(before).layout().resume_typed();
      QVERIFY(view.view(before).layout().busy());
    }
  }

  void in_the_window_it_is_recorded_and_a_journal_knows_it() {
    Workplace place(false);
    QCOMPARE(place.lines("sample resnet18\nshow graph\nexpect view.graph.layout = done\n"
                         "cancel layout\nlay out graph\nexpect view.graph.layout = done\n"),
             std::string());
    auto* graph = place.window->findChild<GraphView*>("graph");
    emit graph->layout().cancel_typed();
    emit graph->layout().resume_typed();
    QVERIFY2(place.recorded().ends_with("cancel layout\nlay out graph\n"),
             place.recorded().c_str());
    graph->layout().fold_all(false);
    place.window->run_action("Cancel the layout of the graph");
    QVERIFY(graph->layout().was_cancelled());
    QCOMPARE(place.lines("expect view.graph.layout = cancelled\n"), std::string());
    place.window->run_action("Lay out the graph");
    place.settle();
    QVERIFY(!graph->layout().was_cancelled() && folded_count(graph->cards()) > 0);
  }

private:
  static void prepare(GraphView& view) {
    view.set_theme(Theme::load("dark"));
    view.resize(1000, 700);
    connect(&view.layout(), &GraphLayout::cancel_typed, &view.layout(), &GraphLayout::cancel);
    connect(&view.layout(), &GraphLayout::resume_typed, &view.layout(), &GraphLayout::resume);
    view.show();
  }
  /// Laid out with its groups folded, and all are to be opened.
  void begin_large(GraphView& view) {
    prepare(view);
    view.show_graph(large_, nullptr, -1);
    view.layout().show_before(true);
    wait_for_layout(view);
    view.notice().set_patience(0);
    view.layout().fold_all(true);
    QVERIFY(view.layout().busy());
  }
  static void wait_for_words(GraphView& view) {
    while (view.layout().busy() && view.notice().words().isEmpty()) QTest::qWait(1);
    QVERIFY(view.layout().busy());
  }
  static QPushButton* button(GraphView& view) {
    return view.findChild<QPushButton*>("layoutButton");
  }

  std::shared_ptr<session::GraphView const> large_;
};

QTEST_MAIN(GraphLayOutTest)
#include "graph_lay_out_test.moc"
