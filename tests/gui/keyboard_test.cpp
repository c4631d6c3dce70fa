// The window by keyboard alone: the tutorial's five minutes, the order of Tab, the palette, the
// sheet of keys, and where the selection goes.
#include <QtTest>

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollArea>
#include <QScrollBar>
#include <fstream>

#include "engine/session/facts/followed_loop.h"
#include "engine/support/files.h"
#include "tests/gui/workplace.h"
#include "tests/support/paths.h"
#include "widgets/focus/focus_ring.h"
#include "widgets/history/history_view.h"
#include "widgets/kernels/kernel_list.h"
#include "widgets/loop_nest/loop_nest_view.h"
#include "widgets/palette/fuzzy.h"
#include "widgets/palette/palette.h"

using namespace tw;
using namespace tw::session;

namespace {

/// Where a key goes: the window in front, the widget in it that has the focus.
QWidget* focused(MainWindow& window) {
  QWidget* front = &window;
  for (QDialog* dialog : window.findChildren<QDialog*>())
    if (dialog->isVisible()) front = dialog;
  if (!front->isActiveWindow()) {  // without a window manager nobody does this when a dialog closes
    front->activateWindow();
    QTest::qWait(20);
  }
  QWidget* widget = front->focusWidget();
  return widget ? widget : front;
}

void press(MainWindow& window, QString const& keys) {
  if (keys == "?") return QTest::keyClick(focused(window), '?', Qt::ShiftModifier);
  QKeyCombination combination = QKeySequence(keys)[0];
  QTest::keyClick(focused(window), combination.key(), combination.keyboardModifiers());
}

}  // namespace

class KeyboardTest : public QObject {
  Q_OBJECT
private slots:
  void the_five_minutes_of_the_tutorial_need_no_mouse() {
    std::string path = testing::source("/tests/gui/keys/five_minutes.keys");
    Workplace place(true);
    MainWindow& window = *place.window;
    window.resize(1600, 1000);
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    int number = 0, pressed = 0;
    for (QString line : QString::fromStdString(read_file(path).value()).split('\n')) {
      ++number;
      line = line.trimmed();
      if (line.isEmpty() || line.startsWith('#')) continue;
      if (line.startsWith("press ")) {
        press(window, line.mid(6));
        ++pressed;
      } else if (line.startsWith("type ")) {
        QTest::keyClicks(focused(window), line.mid(5));
      } else {
        std::string failed = place.lines(line.toStdString());
        QVERIFY2(failed.empty(), (std::to_string(number) + ": " + failed).c_str());
        continue;
      }
      QVERIFY2(settle(window, *place.session, 180), qPrintable(QString::number(number)));
      // A key that did nothing but complain is a step that failed.
      QVERIFY2(window.said().isEmpty(), qPrintable(QString::number(number) + window.said()));
    }
    QVERIFY(pressed > 40);
  }

  void a_split_selects_its_inner_loop_and_a_jump_keeps_the_loop() {
    Workplace place(false);
    place.open_matmul();
    MainWindow& window = *place.window;
    QVERIFY(place
                .lines("select C.j\nstep j.0, j.1 = split(C.j, factor=16)\n"
                       "expect loop = C.j.1\n")
                .empty());
    QCOMPARE(place.lines("step vectorize(C.j.1)\nexpect loop = C.j.1\n"), std::string());
    // Another loop was selected when another one was shaped: the shaped one is.
    QCOMPARE(place.lines("select C.k\nstep parallel(C.i)\nexpect loop = C.i\n"), std::string());
    QCOMPARE(place.lines("select C.j.1\njump 0\nexpect loop = C.j\n"), std::string());
    QCOMPARE(place.lines("select C.k\njump 4\nexpect loop = C.k\n"), std::string());
    QCOMPARE(place.lines("jump 0\nselect C.j\nredo\nexpect loop = C.j.1\n"), std::string());
    QCOMPARE(place.lines("undo\nstep f = fuse(C.i, C.j)\nexpect loop = C.f\n"), std::string());
    QVERIFY(window.said().isEmpty());
  }

  /// Loops of two kernels can have the same number.
  void nothing_carries_over_to_another_kernel() {
    Workplace place(false);
    place.open_matmul();
    QCOMPARE(place.lines("select C.k\nadd kernel \"tilewright te 1\\nkernel other(A: f32[9, 8, 7]) "
                         "-> R\\n  R[a in 9, b in 8, c in 7] = A[a, b, c] + 1\\n\"\n"
                         "expect kernel = other\nexpect loop = R.a\n"),
             std::string());
    Snapshot first, second;
    QCOMPARE(session::followed_loop(first, second, 3), -1);
  }

  void the_loops_have_the_focus_when_a_kernel_is_shown() {
    Workplace place(false);
    place.open_matmul();
    auto* loop_nest = place.window->findChild<LoopNestView*>("loopNest");
    auto* kernels = place.window->findChild<KernelList*>("kernels");
    QCOMPARE(place.window->focusWidget(), static_cast<QWidget*>(loop_nest));
    kernels->setFocus();
    QTest::keyClick(kernels, Qt::Key_Return);
    QCOMPARE(place.window->focusWidget(), static_cast<QWidget*>(loop_nest));
  }

  void tab_goes_from_pane_to_pane_and_shows_a_ring() {
    Workplace place(false);
    place.open_matmul();
    MainWindow& window = *place.window;
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    auto* ring = window.findChild<FocusRing*>();
    QVERIFY(ring && !ring->isVisible());
    QList<QWidget*> seen;
    for (int i = 0; i < 80; ++i) {
      QTest::keyClick(focused(window), Qt::Key_Tab);
      QWidget* now = window.focusWidget();
      QVERIFY(ring->isVisible());
      QCOMPARE(ring->around(), now);
      if (!seen.isEmpty() && now == seen.front()) break;
      QVERIFY2(!seen.contains(now), qPrintable(now->objectName()));
      seen << now;
    }
    auto at = [&](char const* name) {
      for (qsizetype i = 0; i < seen.size(); ++i)
        if (seen[i]->objectName() == name) return i;
      return qsizetype(-1);
    };
    // Rotate so that the top bar comes first.
    std::rotate(seen.begin(), seen.begin() + at("home"), seen.end());
    QStringList order;
    for (char const* name : {"home", "kernels", "moreSteps", "loopNest", "passes", "history"}) {
      QVERIFY2(at(name) >= 0, name);
      order << name;
    }
    for (qsizetype i = 1; i < order.size(); ++i)
      QVERIFY2(at(qPrintable(order[i - 1])) < at(qPrintable(order[i])), qPrintable(order[i]));
    QTest::mouseClick(window.findChild<LoopNestView*>("loopNest"), Qt::LeftButton);
    QVERIFY(!ring->isVisible() || ring->around() == window.focusWidget());
  }

  /// The view that has the keys comes before the others that can find.
  void what_is_found_in_is_the_view_that_has_the_keys() {
    Workplace place(false);
    place.open_matmul();
    auto finds_in = [&](char const* view) {
      QTest::keyClick(place.window.get(), Qt::Key_F, Qt::ControlModifier);
      QWidget* field = QApplication::focusWidget();
      return qobject_cast<QLineEdit*>(field) &&
             place.window->pane_widget(view)->isAncestorOf(field);
    };
    QCOMPARE(place.lines("show loops\n"), std::string());
    QVERIFY(finds_in("kernels"));
    place.window->pane_widget("history")->findChild<tw::HistoryView*>()->setFocus();
    QVERIFY(finds_in("history"));
    QVERIFY(finds_in("history"));  // again, from its field
    QCOMPARE(place.lines("show records\n"), std::string());
    QVERIFY(finds_in("records"));
  }

  void letters_find_what_has_them_in_order() {
    QVERIFY(fuzzy_score("thm", "Switch theme").has_value());
    QVERIFY(fuzzy_score("open res", "Open sample ResNet-18").has_value());
    QVERIFY(!fuzzy_score("xyz", "Switch theme"));
    QVERIFY(!fuzzy_score("emeht", "theme"));
    QVERIFY(fuzzy_score("", "anything") == 0);
    QVERIFY(*fuzzy_score("spl", "Split a loop") > *fuzzy_score("spl", "Close this pile of loops"));
    QVERIFY(*fuzzy_score("ml", "Measure the whole model, later") <
            *fuzzy_score("mtwm", "Measure the whole model, later"));
  }

  void the_palette_finds_scripts_names_loops_and_settings_by_arrows() {
    Workplace place(false);
    place.open_matmul();
    MainWindow& window = *place.window;
    auto open = [&](char const* typed) {
      window.show_palette();
      auto* palette = window.findChild<Palette*>("palette");
      QTest::keyClicks(palette->findChild<QLineEdit*>("paletteFind"), typed);
      return palette;
    };
    auto* palette = open("reverse_compute_at");
    QVERIFY(palette->shown().size() >= 1);
    palette->close();
    QVERIFY(settle(window, *place.session));
    palette = open("loop c.k");
    QCOMPARE(palette->shown().value(0), QString("Loop C.k"));
    QTest::keyClick(palette->findChild<QLineEdit*>("paletteFind"), Qt::Key_Return);
    QVERIFY(settle(window, *place.session));
    QCOMPARE(place.lines("expect loop = C.k\n"), std::string());
    palette = open("theme");
    auto* list = palette->findChild<QListWidget*>("paletteList");
    auto* find = palette->findChild<QLineEdit*>("paletteFind");
    QCOMPARE(list->currentRow(), 0);
    QTest::keyClick(find, Qt::Key_Down);
    QTest::keyClick(find, Qt::Key_Down);
    QCOMPARE(list->currentRow(), 2);
    QTest::keyClick(find, Qt::Key_Up);
    QCOMPARE(list->currentRow(), 1);
    palette->close();
    QVERIFY(settle(window, *place.session));
    palette = open("qqqq");
    QVERIFY(palette->shown().isEmpty());  // and a sentence that says so
    QCOMPARE(palette->findChild<QListWidget*>("paletteList")->count(), 1);
    palette->close();
  }

  void the_sheet_of_keys_fits_the_window_and_scrolls() {
    Workplace place(false);
    MainWindow& window = *place.window;
    window.resize(1280, 800);
    window.show_keys();
    auto* dialog = window.findChild<QDialog*>("keys");
    QVERIFY(dialog);
    QVERIFY(dialog->height() <= window.height());
    auto* sheet = dialog->findChild<QScrollArea*>("keySheet");
    QStringList titles;
    for (QLabel* label : sheet->findChildren<QLabel*>())
      if (label->property("role") == "title") titles << label->text();
    QVERIFY2(titles.size() >= 5, qPrintable(titles.join(", ")));
    int before = sheet->verticalScrollBar()->value();
    QTest::keyClick(sheet, Qt::Key_PageDown);
    QVERIFY(sheet->verticalScrollBar()->value() > before ||
            sheet->verticalScrollBar()->maximum() == 0);
    dialog->close();
  }
};

QTEST_MAIN(KeyboardTest)
#include "keyboard_test.moc"
