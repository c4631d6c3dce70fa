// Views that stand in another place, or in a second window, and are there again at the next start.
#include <QtTest>

#include <QMenu>
#include <QSettings>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>

#include "app/window/pane_window.h"
#include "tests/gui/workplace.h"
#include "widgets/focus/focus_ring.h"

using namespace tw;

namespace {

QTabWidget* tabs_around(QWidget* view) {
  for (QWidget* around = view->parentWidget(); around; around = around->parentWidget())
    if (auto* tabs = qobject_cast<QTabWidget*>(around); tabs && tabs->indexOf(view) >= 0)
      return tabs;
  return nullptr;
}

QString place_of(MainWindow& window, std::string const& view) {
  QTabWidget* tabs = tabs_around(window.pane_widget(view));
  return tabs ? tabs->objectName() : QString("beside");
}

QPoint middle_of_tab(QTabBar* bar, QString const& title) {
  for (int i = 0; i < bar->count(); ++i)
    if (bar->tabText(i) == title) return bar->tabRect(i).center();
  return {};
}

}  // namespace

class MovedViewsTest : public QObject {
  Q_OBJECT
private slots:
  void a_view_moves_and_comes_back() {
    Workplace place(false);
    place.open_matmul();
    MainWindow& window = *place.window;
    QString home = place_of(window, "roofline");
    QCOMPARE(place.lines("move view roofline centre\n"), std::string());
    QCOMPARE(place_of(window, "roofline"), QString("centre"));
    QVERIFY(window.pane_widget("roofline")->isVisible());
    QVERIFY(place.lines("show loops\nshow roofline\n").empty());
    QVERIFY(window.pane_widget("roofline")->isVisible());
    QCOMPARE(place.lines("move view roofline home\n"), std::string());
    QCOMPARE(place_of(window, "roofline"), home);
  }

  void what_stands_beside_moves_too() {
    Workplace place(false);
    place.open_matmul();
    MainWindow& window = *place.window;
    QCOMPARE(place_of(window, "code"), QString("beside"));
    QCOMPARE(place.lines("move view code below\n"), std::string());
    QVERIFY(place_of(window, "code") != "beside" && window.pane_widget("code")->isVisible());
    window.resize(1200, 900);  // narrow, and wide again
    place.settle();
    window.resize(1600, 1000);
    place.settle();
    QVERIFY(place_of(window, "code") != "beside");
    QCOMPARE(place.lines("move view code home\n"), std::string());
    QCOMPARE(place_of(window, "code"), QString("beside"));
    QVERIFY(window.pane_widget("code")->isVisible());
  }

  void a_second_window_holds_views_while_it_has_some() {
    Workplace place(false);
    place.open_matmul();
    MainWindow& window = *place.window;
    auto* second = window.findChild<PaneWindow*>("paneWindow");
    QVERIFY(second && !second->isVisible());
    QCOMPARE(place.lines("move view code window\nmove view history window\n"), std::string());
    QVERIFY(second->isVisible());
    QCOMPARE(second->tabs().count(), 2);
    QVERIFY(window.pane_widget("code")->window() == second);
    // A listing of the code is found there, too.
    QCOMPARE(place.lines("show assembly\nexpect view.code.stage = assembly\n"), std::string());
    QVERIFY(window.pane_widget("code")->isVisible());
    QString file = place.folder.filePath("code.svg");
    QCOMPARE(place.lines("picture code " + file.toStdString() + "\n"), std::string());
    QVERIFY(QFile(file).size() > 0);
    // Keys of the first window work there: this one takes the last step back.
    QCOMPARE(place.lines("step unroll(C.k)\n"), std::string());
    QTest::keyClick(second, Qt::Key_Question);
    QCOMPARE(place.lines("expect dialog = keys\nclose dialog\n"), std::string());
    second->close();
    QVERIFY(!second->isVisible());
    QCOMPARE(place_of(window, "code"), QString("beside"));
    QVERIFY(place.recorded().find("move view code home") != std::string::npos);
  }

  void they_are_there_again_at_the_next_start() {
    QTemporaryDir state;
    {
      Workplace place(false, state.path());
      place.open_matmul();
      QCOMPARE(place.lines("move view roofline centre\nmove view code window\n"), std::string());
    }
    Workplace again(false, state.path());
    again.open_matmul();
    QCOMPARE(place_of(*again.window, "roofline"), QString("centre"));
    QCOMPARE(place_of(*again.window, "code"), QString("own"));
    QVERIFY(again.window->pane_widget("code")->isVisible());
    QCOMPARE(again.lines("reset layout\n"), std::string());
    QCOMPARE(place_of(*again.window, "code"), QString("beside"));
    QVERIFY(place_of(*again.window, "roofline") != "centre");
    QVERIFY(!again.window->findChild<PaneWindow*>("paneWindow")->isVisible());
    QSettings kept(state.filePath("settings.ini"), QSettings::IniFormat);
    kept.beginGroup("places");
    QVERIFY(kept.childKeys().isEmpty());
  }

  void a_tab_is_dragged_to_another_place() {
    Workplace place(false);
    place.open_matmul();
    MainWindow& window = *place.window;
    auto* below = tabs_around(window.pane_widget("roofline"));
    auto* centre = window.findChild<QTabWidget*>("centre");
    QTabBar* bar = below->tabBar();
    QPoint from = middle_of_tab(bar, "Roofline");
    QPoint to = bar->mapFromGlobal(centre->mapToGlobal(centre->rect().center()));
    QTest::mousePress(bar, Qt::LeftButton, {}, from);
    QTest::mouseMove(bar, (from + to) / 2);
    QTest::mouseMove(bar, to);
    QTest::mouseRelease(bar, Qt::LeftButton, {}, to);
    QCOMPARE(place_of(window, "roofline"), QString("centre"));
    QVERIFY(place.recorded().find("move view roofline centre") != std::string::npos);
    // A click alone, or a pull along the bar, moves nothing.
    bar = below->tabBar();
    QPoint first = bar->tabRect(0).center();
    int tabs = below->count();
    QTest::mousePress(bar, Qt::LeftButton, {}, first);
    QTest::mouseMove(bar, first + QPoint(60, 2));
    QTest::mouseRelease(bar, Qt::LeftButton, {}, first + QPoint(60, 2));
    QCOMPARE(below->count(), tabs);
  }

  void a_tab_has_a_menu_of_places() {
    Workplace place(false);
    place.open_matmul();
    MainWindow& window = *place.window;
    QTabBar* bar = tabs_around(window.pane_widget("roofline"))->tabBar();
    QPoint at = middle_of_tab(bar, "Roofline");
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, bar->mapToGlobal(at));
    QApplication::sendEvent(bar, &event);
    auto* menu = window.findChild<QMenu*>("moveMenu");
    QVERIFY(menu);
    for (QAction* action : menu->actions())
      if (action->text() == "To the centre") action->trigger();
    QCOMPARE(place_of(window, "roofline"), QString("centre"));
    menu->close();
    delete menu;
  }

  void keys_move_the_view_with_the_focus() {
    Workplace place(false);
    place.open_matmul();
    MainWindow& window = *place.window;
    QCOMPARE(place.lines("show history\n"), std::string());
    window.findChild<QWidget*>("history")->setFocus();
    QTest::keyClick(&window, Qt::Key_Up, Qt::ControlModifier | Qt::AltModifier);
    QCOMPARE(place_of(window, "history"), QString("centre"));
    QTest::keyClick(&window, Qt::Key_Home, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(place_of(window, "history") != "centre");
  }

  /// One moves by keys what one moves in: a view, or the tab above it.
  void the_focus_goes_along_and_is_seen() {
    Workplace place(false);
    place.open_matmul();
    MainWindow& window = *place.window;
    auto* second = window.findChild<PaneWindow*>("paneWindow");
    QCOMPARE(place.lines("show history\n"), std::string());
    window.activateWindow();
    tabs_around(window.pane_widget("roofline"))->tabBar()->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_W, Qt::ControlModifier | Qt::AltModifier);
    QCOMPARE(place_of(window, "roofline"), QString("own"));
    QTRY_COMPARE(QApplication::focusWidget(), second->tabs().tabBar());
    auto* ring = second->findChild<FocusRing*>("focusRing");
    QVERIFY(ring);
    QSet<QWidget*> reached;
    for (int i = 0; i < 12; ++i) {
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
      QCOMPARE(QApplication::focusWidget()->window(), second);
      QVERIFY(ring->isVisible());
      QCOMPARE(ring->around(), QApplication::focusWidget());
      reached << QApplication::focusWidget();
    }
    QVERIFY(reached.size() > 2 && reached.contains(second->tabs().tabBar()));
    second->tabs().tabBar()->setFocus();
    QTest::keyClick(second->tabs().tabBar(), Qt::Key_Home, Qt::ControlModifier | Qt::AltModifier);
    QCOMPARE(window.said(), QString());
    QVERIFY(place_of(window, "roofline") != "own");
    // Where the tab is once all has its room again.
    auto* first = window.centralWidget()->findChild<FocusRing*>("focusRing");
    window.activateWindow();
    place.settle();
    tabs_around(window.pane_widget("roofline"))->tabBar()->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QVERIFY(window.pane_widget("roofline")->isAncestorOf(QApplication::focusWidget()));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_W, Qt::ControlModifier | Qt::AltModifier);
    QTRY_COMPARE(QApplication::focusWidget()->window(), second);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Home,
                    Qt::ControlModifier | Qt::AltModifier);
    QTRY_VERIFY(first->around() && first->isVisible());
    place.settle();
    QRect has(first->around()->mapTo(window.centralWidget(), QPoint(0, 0)),
              first->around()->size());
    QCOMPARE(first->geometry().center(), has.center());
  }

  void a_group_without_a_tab_leaves_its_room() {
    Workplace place(false);
    place.open_matmul();
    MainWindow& window = *place.window;
    QTabWidget* group = tabs_around(window.pane_widget("roofline"));
    int width = group->width(), beside = window.pane_widget("history")->width();
    QCOMPARE(group->count(), 1);
    QCOMPARE(place.lines("move view roofline centre\n"), std::string());
    QVERIFY(!group->isVisible());
    QVERIFY(window.pane_widget("history")->width() > beside + width / 2);
    QCOMPARE(place.lines("move view roofline home\n"), std::string());
    QVERIFY(group->isVisible());
    QVERIFY2(std::abs(group->width() - width) < 8, qPrintable(QString::number(group->width())));
    // All that is below, and with it the room of both.
    int centre = window.findChild<QTabWidget*>("centre")->height();
    for (char const* name : {"roofline", "history", "script", "replay", "gain"})
      QCOMPARE(place.lines(std::string("move view ") + name + " left\n"), std::string());
    QVERIFY(!window.findChild<QSplitter*>("lower")->isVisible());
    QVERIFY(window.findChild<QTabWidget*>("centre")->height() > centre + 100);
    QCOMPARE(place.lines("reset layout\n"), std::string());
    QTabWidget* right = tabs_around(window.pane_widget("history"));
    QVERIFY(group->isVisible() && right->isVisible());
    QVERIFY2(std::min({group->height(), group->width(), right->width()}) > 100,
             qPrintable(QString("%1 x %2").arg(group->width()).arg(group->height())));
  }

  void what_cannot_move_says_why() {
    Workplace place(false);
    place.open_matmul();
    for (auto const& [line, words] : {std::pair("loops below", "it is the working view"),
                                      {"records left", "only view"},
                                      {"nothing left", "there is no view"}})
      QCOMPARE(
          place.lines(std::string("move view ") + line + "\nexpect error contains " + words + "\n"),
          std::string());
  }
};

QTEST_MAIN(MovedViewsTest)
#include "moved_views_test.moc"
