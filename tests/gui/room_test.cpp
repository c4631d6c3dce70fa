// Where things stand: nothing moves when a measurement starts, and a wide window gives its room to
// what is cut otherwise.
#include <QtTest>

#include <QAbstractButton>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <map>

#include "app/window/pane_rail.h"
#include "app/window/top_bar.h"
#include "tests/gui/workplace.h"
#include "widgets/code/code_view.h"
#include "widgets/loop_nest/loop_nest_view.h"

using namespace tw;
using namespace tw::session;

namespace {

/// Of all that is seen, in the window's pixels.
std::map<QWidget*, QRect> places(MainWindow& window) {
  std::map<QWidget*, QRect> all;
  for (QWidget* one : window.findChildren<QWidget*>())
    if (one->isVisible()) all[one] = QRect(one->mapTo(&window, QPoint(0, 0)), one->size());
  return all;
}

}  // namespace

class RoomTest : public QObject {
  Q_OBJECT
private slots:
  void nothing_moves_while_a_kernel_is_measured() {
    Workplace place(true);
    place.open_matmul();
    place.window->execute(ApplyStep{"vectorize(C.j)"});
    place.settle();
    std::map<QWidget*, QRect> const before = places(*place.window);
    QVERIFY(before.size() > 20);
    place.window->execute(MeasureAgain{});
    bool measured = false;
    QElapsedTimer timer;
    timer.start();
    QStringList moved;
    while (timer.elapsed() < 20'000 && !(measured && !place.session->snapshot().job)) {
      QApplication::processEvents(QEventLoop::AllEvents, 5);
      measured = measured || place.session->snapshot().job != nullptr;
      for (auto const& [widget, at] : places(*place.window))
        if (auto was = before.find(widget); was != before.end() && was->second != at)
          moved << widget->objectName() + " " + widget->metaObject()->className();
    }
    QVERIFY(measured);
    moved.removeDuplicates();
    QVERIFY2(moved.isEmpty(), qPrintable(moved.join(", ")));
  }

  /// What a machine under load measures: every kind of words for a spread, and of a speed.
  void nothing_moves_whatever_is_measured() {
    Workplace place(true);
    place.open_matmul();
    place.settle();
    auto* bar = place.window->findChild<TopBar*>("topBar");
    std::map<QWidget*, QRect> const before = places(*place.window);
    Snapshot made = place.session->snapshot();
    for (double spread : {0.0, 0.004, 0.099, 0.24, 0.26, 3.0, 99.0})
      for (double ms : {1e-5, 0.00999, 0.0999, 0.99, 9.99, 99.9})
        for (bool disturbed : {false, true}) {
          auto history = std::make_shared<HistoryView>(*made.history);
          HistoryNodeView& step = history->nodes[size_t(history->current)];
          step.min_ms = ms;
          step.spread = spread;
          step.speed = 1 / ms;
          step.disturbed = disturbed;
          if (*step.speed >= 1000) step.speed = 999.4;
          Snapshot with = made;
          with.history = history;
          bar->show_snapshot(with);
          for (auto const& [widget, at] : places(*place.window))
            if (auto was = before.find(widget); was != before.end() && was->second != at)
              QFAIL(qPrintable(QString("%1 moved at %2 ms, spread %3")
                                   .arg(widget->objectName())
                                   .arg(ms)
                                   .arg(spread)));
        }
  }

  /// The next click would hit another one.
  void a_tab_stays_where_it_is_when_panes_give_way() {
    Workplace place(false);
    place.open_matmul();
    place.window->resize(1280, 800);
    place.settle();
    QTabBar* tabs = place.window->findChild<QTabWidget*>("centre")->tabBar();
    auto at = [&] { return tabs->mapTo(place.window.get(), tabs->tabRect(0).topLeft()); };
    QPoint before = at();
    for (char const* view : {"records", "loops", "graph", "memory"}) {
      QCOMPARE(place.lines(std::string("show ") + view + "\n"), std::string());
      place.settle();
      QCOMPARE(at(), before);
    }
  }

  void what_gives_way_to_the_graph_comes_back_as_it_was() {
    for (QSize size : {QSize(1280, 800), QSize(1600, 1000), QSize(2560, 1440)}) {
      Workplace place(false);
      place.open_matmul();
      place.window->resize(size);
      place.settle();
      auto const before = places(*place.window);
      QCOMPARE(place.lines("show graph\n"), std::string());
      QWidget* graph = place.window->pane_widget("graph");
      int wide = size.width() >= 1360 ? size.width() - 330 : size.width() - 310;  // a rail beside
      QVERIFY2(graph->width() >= wide, qPrintable(QString::number(graph->width())));
      QVERIFY(graph->height() > size.height() * 3 / 4);
      QVERIFY(!place.window->pane_widget("history")->isVisible());
      place.window->resize(size + QSize(80, 60));  // and what happens meanwhile does no harm
      place.settle();
      place.window->resize(size);
      place.settle();
      QCOMPARE(place.lines("show loops\n"), std::string());
      for (char const* name : {"loops", "kernels", "roofline", "history", "code"}) {
        QWidget* pane = place.window->pane_widget(name);
        if (!before.contains(pane)) continue;
        QRect was = before.at(pane), is = places(*place.window)[pane];
        QVERIFY2(
            std::abs(was.width() - is.width()) <= 3 && std::abs(was.height() - is.height()) <= 3,
            qPrintable(QString("%1 of %2: %3 x %4, was %5 x %6")
                           .arg(name)
                           .arg(size.width())
                           .arg(is.width())
                           .arg(is.height())
                           .arg(was.width())
                           .arg(was.height())));
      }
    }
  }

  void what_needs_all_the_room_leaves_rails_that_bring_the_others_back() {
    for (QSize size : {QSize(1280, 800), QSize(1600, 1000), QSize(2560, 1440)}) {
      Workplace place(false);
      place.open_matmul();
      place.window->resize(size);
      place.settle();
      auto const before = places(*place.window);
      auto rail = [&](char const* name) { return place.window->findChild<PaneRail*>(name); };
      for (char const* name : {"leftRail", "rightRail", "belowRail"})
        QVERIFY(!rail(name)->isVisible());
      QCOMPARE(place.lines("show records\n"), std::string());
      QWidget* records = place.window->pane_widget("records");
      QVERIFY2(records->width() >= size.width() - 80,
               qPrintable(QString::number(records->width())));
      QVERIFY(records->height() > size.height() * 3 / 4);
      QVERIFY(rail("leftRail")->isVisible() && rail("leftRail")->names().contains("Kernels"));
      QCOMPARE(rail("rightRail")->isVisible(), size.width() >= 1360);
      QVERIFY(rail("belowRail")->names().contains("History"));
      for (auto* button : rail("belowRail")->findChildren<QAbstractButton*>()) {
        QVERIFY(!button->accessibleName().isEmpty());
        if (button->text() == "History") QTest::mouseClick(button, Qt::LeftButton);
      }
      QApplication::processEvents();
      QVERIFY(place.window->pane_widget("history")->isVisible());
      QVERIFY(place.window->pane_widget("kernels")->isVisible());
      QVERIFY(records->isVisible() && !rail("leftRail")->isVisible());
      QVERIFY(place.recorded().find("show history") != std::string::npos);
      QCOMPARE(place.lines("show loops\nshow records\n"), std::string());
      QVERIFY(!place.window->pane_widget("history")->isVisible());
      QCOMPARE(place.lines("show loops\n"), std::string());
      for (char const* name : {"loops", "kernels", "roofline", "history", "code"}) {
        QWidget* pane = place.window->pane_widget(name);
        if (!before.contains(pane)) continue;
        QRect was = before.at(pane), is = places(*place.window)[pane];
        QVERIFY2(
            std::abs(was.width() - is.width()) <= 3 && std::abs(was.height() - is.height()) <= 3,
            qPrintable(QString("%1 of %2: %3 x %4, was %5 x %6")
                           .arg(name)
                           .arg(size.width())
                           .arg(is.width())
                           .arg(is.height())
                           .arg(was.width())
                           .arg(was.height())));
      }
    }
  }

  /// Counts of work: how often each is told what is new, and asks the session.
  void what_is_not_seen_asks_nothing() {
    Workplace place(false);
    place.open_matmul();
    auto work = [&](char const* name) { return place.window->work_of_pane(name); };
    auto all = [&] {
      std::map<std::string, std::pair<int, int>> each;
      for (PaneRow const* row : pane_table()) each[row->name] = work(row->name.c_str());
      return each;
    };
    for (char const* front : {"records", "graph", "iterations", "loops"}) {
      QCOMPARE(place.lines(std::string("show ") + front + "\n"), std::string());
      place.settle();
      auto const before = all();
      int hidden = 0;
      for (char const* step : {"parallel(C.i)", "j.0, j.1 = split(C.j, factor=8)"}) {
        place.window->execute(ApplyStep{step});
        place.settle();
      }
      for (auto const& [name, was] : before) {
        if (place.window->pane_widget(name)->isVisible()) continue;
        ++hidden;
        QVERIFY2(work(name.c_str()).second == was.second,
                 qPrintable(QString("%1 asks behind %2: %3 times")
                                .arg(name.c_str(), front)
                                .arg(work(name.c_str()).second - was.second)));
      }
      QVERIFY(hidden > 8);
      place.window->execute(JumpTo{0});
      place.settle();
    }
  }

  void what_was_not_told_knows_all_when_it_is_seen() {
    Workplace place(false);
    place.open_matmul();
    QCOMPARE(place.lines("show records\n"), std::string());
    int told = place.window->work_of_pane("code").first;
    place.window->execute(ApplyStep{"parallel(C.i)"});
    place.settle();
    QCOMPARE(place.window->work_of_pane("code").first, told);
    QCOMPARE(place.lines("show loops\n"), std::string());
    QVERIFY(place.window->work_of_pane("code").first > told);
    QString text = place.window->findChild<CodeView*>("code")->all_text();
    QVERIFY2(text.contains("parallel i"), qPrintable(text));
    // What is asked of one that is hidden is answered as of now.
    QCOMPARE(place.lines(
                 "show records\nstep j.0, j.1 = split(C.j, factor=8)\nexpect script.lines = 2\n"),
             std::string());
  }

  void a_window_that_grows_while_one_compares_keeps_its_centre() {
    Workplace place(false);
    place.open_matmul();
    QCOMPARE(place.lines("step vectorize(C.j)\ncompare 0 1\n"), std::string());
    for (QSize size : {QSize(1280, 800), QSize(1600, 1000), QSize(960, 620), QSize(2560, 1440)}) {
      place.window->resize(size);
      place.settle();
      QCOMPARE(place.lines("show code\nshow compare\n"), std::string());
      QWidget* compare = place.window->pane_widget("compare");
      QVERIFY2(compare->isVisible() && compare->width() > size.width() / 2,
               qPrintable(QString("%1 of %2").arg(compare->width()).arg(size.width())));
    }
  }

  void what_gave_way_comes_when_it_is_asked_for() {
    Workplace place(false);
    place.open_matmul();
    for (char const* view : {"lowered", "assembly", "history", "roofline", "code"}) {
      QCOMPARE(place.lines("show graph\n"), std::string());
      QCOMPARE(place.lines(std::string("show ") + view + "\n"), std::string());
      QWidget* code = place.window->pane_widget("code");
      QWidget* history = place.window->pane_widget("history");
      QVERIFY2(code->isVisible() && history->isVisible(), view);
    }
  }

  void a_kernel_without_a_graph_is_shown_in_loops() {
    Workplace place(false);
    place.window->resize(1600, 1000);
    QCOMPARE(place.lines("sample dqn\nshow graph\nsample lstm\nexpect view = graph\n"),
             std::string());
    QCOMPARE(place.lines("lesson open vectors\nexpect view = loops\n"), std::string());
    QVERIFY(place.window->pane_widget("history")->isVisible());
    QCOMPARE(place.lines("sample dqn\nshow graph\nexpect view = graph\n"), std::string());
    place.open_matmul();
    QCOMPARE(place.lines("expect view = loops\n"), std::string());
  }

  void a_project_that_was_saved_before_the_graph_has_all_panes() {
    QTemporaryDir folder;
    std::string file = folder.filePath("work.twproj").toStdString();
    Workplace first(false);
    first.window->resize(1600, 1000);
    QCOMPARE(first.lines("sample dqn\n"), std::string());
    int wide = first.window->pane_widget("code")->width();
    int high = first.window->pane_widget("roofline")->height();
    QCOMPARE(first.lines("show graph\nproject save " + file + "\n"), std::string());
    Workplace place(false);
    place.window->resize(1600, 1000);
    std::string wrong = place.lines("project open " + file + "\nexpect view = graph\n");
    QVERIFY2(wrong.empty(), wrong.c_str());
    QCOMPARE(place.lines("show loops\n"), std::string());
    int now_wide = place.window->pane_widget("code")->width();
    int now_high = place.window->pane_widget("roofline")->height();
    QVERIFY2(std::abs(now_wide - wide) <= 3 && std::abs(now_high - high) <= 3,
             qPrintable(
                 QString("%1 x %2, was %3 x %4").arg(now_wide).arg(now_high).arg(wide).arg(high)));
  }

  void footprints_stand_in_a_usual_window() {
    Workplace place(false);
    QCOMPARE(place.lines("size 1600 1000\nsample resnet18\n"), std::string());
    auto* loop_nest = place.window->findChild<LoopNestView*>("loopNest");
    QVERIFY2(loop_nest->width() > 680, qPrintable(QString::number(loop_nest->width())));
  }

  void a_wide_window_gives_its_room_to_code() {
    Workplace place(false);
    place.open_matmul();
    auto* loop_nest = place.window->findChild<LoopNestView*>("loopNest");
    auto* code = place.window->findChild<CodeView*>("code");
    place.settle();
    int loops = loop_nest->width(), lines = code->width();
    place.window->resize(2560, 1440);
    place.settle();
    QVERIFY2(
        code->width() - lines > 2 * (loop_nest->width() - loops),
        qPrintable(QString("%1 %2").arg(code->width() - lines).arg(loop_nest->width() - loops)));
    double right = 0;
    for (NestItem const& item : loop_nest->scene().layout.items)
      if (item.bar) right = std::max(right, item.rect.right());
    QVERIFY(loop_nest->scene().layout.footprint_left - right < 200);
  }
};

QTEST_MAIN(RoomTest)
#include "room_test.moc"
