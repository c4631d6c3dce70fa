// The history's map: branches, folds, keys, notes in place, comparisons, replays; and kernels
// written in the editor.
#include <QtTest>

#include <QAccessible>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <fstream>

#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "tests/support/figures.h"
#include "widgets/code/code_view.h"
#include "widgets/compare/compare_view.h"
#include "widgets/compare/cost_table.h"
#include "widgets/expression/kernel_dialog.h"
#include "widgets/history/history_geometry.h"
#include "widgets/history/history_panel.h"
#include "widgets/replay/replay_view.h"

using namespace tw;
using namespace tw::session;

namespace {

/// A node for each parent given, the first one is the root.
std::shared_ptr<session::HistoryView> tree(std::vector<int> const& parents, int current) {
  auto view = std::make_shared<session::HistoryView>();
  for (size_t i = 0; i < parents.size(); ++i) {
    HistoryNodeView node;
    node.id = int(i);
    node.parent = parents[i];
    node.label = i == 0 ? "plain" : "split";
    node.step = i == 0 ? "" : "split(C.i, factor=" + std::to_string(i) + ")";
    view->nodes.push_back(node);
  }
  view->current = current;
  return view;
}

}  // namespace

class HistoryTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    session_ = place_->session.get();
    window_ = place_->window.get();
    place_->open_matmul();
    QVERIFY(session_->snapshot().nest);
    history_ = window_->findChild<tw::HistoryView*>("history");
    QVERIFY(history_);
  }
  void cleanup() { place_.reset(); }

  void model_and_measurement_of_a_step_stand_together() {
    auto two = tree({-1, 0, 1}, 2);
    double const measured[] = {100, 43.5, 20}, modelled[] = {90, 90, 41};
    for (size_t i = 0; i < 3; ++i) {
      HistoryNodeView& node = two->nodes[i];
      node.min_ms = measured[i];
      node.model_ms = modelled[i];
      node.spread = 0.02;
      node.speed = node.model_gflops = 1;
      node.bound = "arithmetic";
    }
    tw::HistoryView view;
    view.set_theme(Theme::load("dark"));
    view.resize(600, 200);
    view.show_history(two);
    QString reorder = view.parts()[1].name, split = view.parts()[2].name;
    QVERIFY2(
        reorder.contains(
            "this step: measured 2.30 times faster, modelled as fast; the measured one is used"),
        qPrintable(reorder));
    // They agree as well as a model may be asked to: nothing is said.
    QVERIFY2(!split.contains("this step"), qPrintable(split));
    auto marks = [&] {
      paint::TextLog log;
      QPixmap canvas(view.size());
      view.render(&canvas);
      return std::ranges::count_if(
          log.texts, [](paint::PaintedText const& one) { return one.words.startsWith(u'≠'); });
    };
    QCOMPARE(marks(), 1);
    // Times that are as far apart as that say nothing against a model.
    two->nodes[1].spread = 1.5;
    view.show_history(std::make_shared<session::HistoryView>(*two));
    QCOMPARE(marks(), 0);
  }

  void wide_spreads_are_not_cut() {
    auto one = tree({-1}, 0);
    one->nodes[0].min_ms = 5.56;
    one->nodes[0].spread = 1.158;
    one->nodes[0].speed = 41;
    one->nodes[0].disturbed = true;
    tw::HistoryView view;
    view.set_theme(Theme::load("dark"));
    view.resize(600, 200);
    view.show_history(one);
    paint::TextLog log;
    QPixmap canvas(view.size());
    view.render(&canvas);
    bool range = false;
    for (paint::PaintedText const& text : log.texts) {
      QVERIFY2(!text.cut, qPrintable(text.words));
      range |= text.words.contains("5.56") && text.words.contains("12.0 ms");
    }
    QVERIFY(range);
  }

  void names_of_costs_are_whole_beside_each_other() {
    QCOMPARE(place_->lines("size 1280 800\nstep vectorize(C.j)\ncompare 0 1\n"), std::string());
    auto* costs = window_->findChild<CostTable*>("costs");
    QVERIFY(costs && costs->isVisible());
    QString wrong = wrong_words(*costs);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
  }

  void branches_have_lanes_of_their_own_and_no_two_stations_share_a_place() {
    // 0-1-2-3, a branch of two from 1, one from 2, one from 0.
    auto view = tree({-1, 0, 1, 2, 1, 4, 2, 0}, 3);
    HistoryLayout layout = lay_out_history(*view, {}, {});
    std::set<std::pair<int, int>> taken;
    for (HistoryPlace const& place : layout.places)
      QVERIFY(place.shown && taken.insert({place.column, place.lane}).second);
    for (int id : {0, 1, 2, 3}) QCOMPARE(layout.places[size_t(id)].lane, 0);
    QCOMPARE(layout.places[4].lane, layout.places[5].lane);
    for (int id : {4, 6, 7}) QVERIFY(layout.places[size_t(id)].lane > 0);
  }

  void long_runs_aside_are_folded_and_opened_by_a_click() {
    std::vector<int> parents{-1, 0, 0};
    for (int i = 2; i < 40; ++i) parents.push_back(i);
    auto view = tree(parents, 1);
    HistoryLayout layout = lay_out_history(*view, {}, {});
    QCOMPARE(layout.folds.size(), size_t(1));
    QCOMPARE(layout.folds[0].count, 38);
    QVERIFY(layout.columns <= 4);
    QVERIFY(lay_out_history(*view, {20}, {}).folds.size() == 2);  // what is kept parts it
    QVERIFY(lay_out_history(*view, {}, {layout.folds[0].first}).folds.empty());
    tw::HistoryView map;
    connect(&map, &tw::HistoryView::unfold_asked, &map, &tw::HistoryView::unfold);
    map.set_theme(Theme::load("dark"));
    map.show_history(view);
    map.resize(map.sizeHint());
    size_t parts = map.parts().size();
    QVERIFY(map.parts().back().name.contains("38 steps folded"));
    QTest::mouseClick(&map, Qt::LeftButton, {}, map.parts().back().rect.center().toPoint());
    QCOMPARE(map.parts().size(), parts + 37);
  }

  void a_thousand_states_are_shown_at_once() {
    std::vector<int> parents{-1};
    for (int i = 1; i < 1000; ++i) parents.push_back(i % 7 == 0 ? i / 2 : i - 1);
    auto view = tree(parents, 500);
    tw::HistoryView map;
    map.set_theme(Theme::load("dark"));
    map.resize(900, 500);
    QElapsedTimer timer;
    timer.start();
    map.show_history(view);
    map.set_folding(false);
    QPixmap canvas(900, 500);
    map.render(&canvas, {}, QRegion(0, 0, 900, 500));
    qInfo("%lld ms", timer.elapsed());
    QVERIFY(testing::is_bearable("a long history", double(timer.elapsed()), 300));
    timer.restart();
    for (int i = 0; i < 50; ++i) QTest::keyClick(&map, i % 3 ? Qt::Key_Left : Qt::Key_Down);
    QVERIFY(testing::is_bearable("a long history, shown", double(timer.elapsed()), 1000));
  }

  void arrows_move_the_ring_and_enter_jumps() {
    window_->apply_line("parallel(C.i)");
    window_->apply_line("vectorize(C.j)");
    int leaf = session_->snapshot().history->current;
    QTest::keyClick(history_, Qt::Key_Left);
    QTest::keyClick(history_, Qt::Key_Left);
    QCOMPARE(history_->marked(), 0);
    QCOMPARE(session_->snapshot().history->current, leaf);
    QTest::keyClick(history_, Qt::Key_Return);
    QCOMPARE(session_->snapshot().history->current, 0);
    QTest::keyClick(history_, Qt::Key_Right);
    QTest::keyClick(history_, Qt::Key_Right);
    QTest::keyClick(history_, Qt::Key_Return);
    QCOMPARE(session_->snapshot().history->current, leaf);
    QTest::keyClick(history_, Qt::Key_Down);
    QVERIFY(history_->marked() != leaf);  // the schedule by rule lies below
  }

  void notes_are_written_in_place_and_found() {
    window_->apply_line("parallel(C.i)");
    QTest::keyClick(history_, Qt::Key_N);
    auto* line = history_->findChild<QLineEdit*>("noteEdit");
    QVERIFY(line->isVisible());
    QTest::keyClicks(line, "worth keeping");
    QTest::keyClick(line, Qt::Key_Return);
    QVERIFY(!line->isVisible());
    auto view = session_->snapshot().history;
    QCOMPARE(view->nodes[size_t(view->current)].note, std::string("worth keeping"));
    history_->edit_note(view->current);
    QTest::keyClicks(line, "not this");
    QTest::keyClick(line, Qt::Key_Escape);
    QVERIFY(!line->isVisible());
    view = session_->snapshot().history;
    QCOMPARE(view->nodes[size_t(view->current)].note, std::string("worth keeping"));
    window_->execute(JumpTo{0});
    auto* find = window_->findChild<QLineEdit*>("findStep");
    QTest::keyClicks(find, "KEEPING");
    QTest::keyClick(find, Qt::Key_Return);
    QCOMPARE(history_->found(), 1);
    QCOMPARE(history_->marked(), 2);
    QVERIFY(window_->recorder().text().find("find step KEEPING") != std::string::npos);
  }

  void stations_say_all_that_is_known_of_them() {
    window_->apply_line("parallel(C.i)");
    settle();
    QAccessibleInterface* list = QAccessible::queryAccessibleInterface(history_);
    QVERIFY(list->childCount() >= 3);
    bool modelled = session_->snapshot().machine && session_->snapshot().machine->roofs_known;
    int stations = 0;
    for (int i = 0; i < list->childCount(); ++i) {
      if (list->child(i)->role() != QAccessible::ListItem)
        continue;  // a tool that lies on the view
      ++stations;
      QString name = list->child(i)->text(QAccessible::Name);
      QVERIFY2(name.contains("not checked"), qPrintable(name));
      if (modelled) QVERIFY2(name.contains("modelled"), qPrintable(name));
    }
    QVERIFY(stations >= 3);
  }

  void two_picked_states_are_compared_in_code_costs_and_scripts() {
    window_->apply_line("split(C.j, factor=16)");
    window_->apply_line("vectorize(C.j.1)");
    int leaf = session_->snapshot().history->current;
    QTest::mouseClick(history_, Qt::LeftButton, Qt::ControlModifier, at(0));
    QTest::mouseClick(history_, Qt::LeftButton, Qt::ControlModifier, at(leaf));
    auto* compare = window_->findChild<CompareView*>("compare");
    QVERIFY(compare->isVisible());
    QCOMPARE(compare->before(), 0);
    QCOMPARE(compare->after(), leaf);
    auto* left = window_->findChild<CodeView*>("codeBefore");
    auto* right = window_->findChild<CodeView*>("codeAfter");
    QTRY_VERIFY_WITH_TIMEOUT(left->text() && right->text(), 10000);
    QCOMPARE(left->text()->lines.size(), right->text()->lines.size());
    QTRY_COMPARE_WITH_TIMEOUT(compare->names(), QString("plain, vectorize #3"), 10000);
    auto* costs = window_->findChild<CostTable*>("costs");
    QVERIFY(costs->parts().size() >= 6);  // more where the roofs are known
    // The same lines stand beside each other while one scrolls, and one text has marks.
    QTest::mouseClick(window_->findChild<QPushButton*>("comparePair"), Qt::LeftButton);
    QVERIFY(!left->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(
        std::ranges::any_of(right->text()->lines,
                            [](CodeLine const& line) { return line.change == LineChange::kAdded; }),
        10000);
    QTest::mouseClick(window_->findChild<QPushButton*>("compareSwap"), Qt::LeftButton);
    QCOMPARE(compare->before(), leaf);
    std::string journal = window_->recorder().text();
    for (std::string line :
         {"pick 0\npick " + std::to_string(leaf), std::string("comparison form marks"),
          "compare " + std::to_string(leaf) + " 0"})
      QVERIFY2(journal.find(line) != std::string::npos, line.c_str());
    QTest::mouseClick(window_->findChild<QPushButton*>("compareClose"), Qt::LeftButton);
    QVERIFY(!compare->isVisible());
  }

  void a_kernel_is_written_with_mistakes_underlined_and_opened() {
    window_->run_action("New kernel");
    auto* dialog = window_->findChild<KernelDialog*>("kernelDialog");
    QVERIFY(dialog);
    QTRY_VERIFY_WITH_TIMEOUT(dialog->is_kernel(), 5000);
    dialog->editor().selectAll();
    QTest::keyClicks(&dialog->editor(), "tilewright te 1");
    QTest::keyClick(&dialog->editor(), Qt::Key_Return);
    QTest::keyClicks(&dialog->editor(), "kernel small(P: f32[40, 30], Q: f32[30, 20]) -> R");
    QTest::keyClick(&dialog->editor(), Qt::Key_Return);
    QTest::keyClicks(&dialog->editor(), "  R[a in 40, b in 20] = sum[c in 30] P[a, c] * Q[c, z]");
    auto* open = dialog->findChild<QPushButton*>("openKernel");
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->editor().problems().empty(), 5000);
    QVERIFY(!open->isEnabled());
    QCOMPARE(dialog->editor().problems()[0].line, 3);
    QCOMPARE(dialog->editor().extraSelections().size(), 1);
    QVERIFY(dialog->editor().extraSelections()[0].format.underlineStyle() ==
            QTextCharFormat::WaveUnderline);
    auto* words = dialog->findChild<QLabel*>("kernelProblem");
    QVERIFY2(words->text().contains("Line 3"), qPrintable(words->text()));
    QVERIFY2(words->text().contains("'z'"), qPrintable(words->text()));
    for (int i = 0; i < 2; ++i) QTest::keyClick(&dialog->editor(), Qt::Key_Backspace);
    QTest::keyClicks(&dialog->editor(), "b]");
    QTRY_VERIFY_WITH_TIMEOUT(open->isEnabled(), 5000);
    QTest::mouseClick(open, Qt::LeftButton);
    settle();
    Snapshot now = session_->snapshot();
    QCOMPARE(now.kernels->rows.size(), size_t(2));
    QCOMPARE(now.kernels->rows[1].name, std::string("small"));
    // It can be edited again, and the session keeps it.
    window_->apply_line("split(R.b, factor=4)");
    window_->run_action("Edit this kernel's expression");
    dialog = nullptr;
    for (KernelDialog* one : window_->findChildren<KernelDialog*>())
      if (one->isVisible()) dialog = one;
    QVERIFY(dialog && dialog->text().contains("kernel small"));
    dialog->editor().setPlainText(dialog->text().replace("30", "36"));
    QTRY_VERIFY_WITH_TIMEOUT(dialog->is_kernel(), 5000);
    dialog->accept();
    settle();
    now = session_->snapshot();
    QVERIFY(now.kernels->rows[1].own_text.find("36") != std::string::npos);
    QCOMPARE(now.history->nodes[size_t(now.history->current)].label, std::string("split"));
  }

  /// Some editors put one first; it is ignored as in files.
  void a_byte_order_mark_that_was_pasted_or_typed_is_ignored() {
    QChar mark(0xFEFF);
    window_->run_action("New kernel");
    KernelDialog* dialog = visible_dialog();
    QString text = dialog->text();
    QApplication::clipboard()->setText(mark + text);
    dialog->editor().selectAll();
    dialog->editor().paste();
    QCOMPARE(dialog->editor().toPlainText(), text);
    dialog->editor().moveCursor(QTextCursor::Start);
    QTest::sendKeyEvent(QTest::Click, &dialog->editor(), Qt::Key_unknown, QString(mark), {});
    QVERIFY(dialog->editor().toPlainText().startsWith(mark));
    QCOMPARE(dialog->text(), text);
    QTRY_VERIFY_WITH_TIMEOUT(dialog->is_kernel(), 5000);
    dialog->reject();
    std::string bytes = "\xEF\xBB\xBF";
    QVERIFY(session::problems_in(bytes + text.toStdString()).empty());
    window_->execute(ApplyScript{bytes + "tilewright schedule 1\nvectorize(C.j)\n"});
    window_->apply_line(QString(mark) + "split(C.i, factor=8)");
    settle();
    QVERIFY2(window_->said().isEmpty(), qPrintable(window_->said()));
    QVERIFY(!session_->snapshot().error);
  }

  void what_was_typed_and_not_taken_is_there_again() {
    window_->run_action("New kernel");
    auto* dialog = window_->findChild<KernelDialog*>("kernelDialog");
    auto* examples = dialog->findChild<QComboBox*>("examples");
    QVERIFY(examples->count() > 5);
    emit examples->activated(3);
    QVERIFY(dialog->text().contains("kernel softmax"));
    dialog->editor().undo();
    QVERIFY(dialog->text().contains("kernel mine"));
    dialog->editor().redo();
    dialog->reject();
    QTest::qWait(10);
    window_->run_action("New kernel");
    QVERIFY(visible_dialog()->text().contains("kernel softmax"));
    visible_dialog()->reject();
  }

  void a_schedule_is_replayed_on_another_kernel_and_says_what_became_of_it() {
    window_->execute(AddKernel{testing::kSmall});
    settle();
    window_->execute(SelectKernel{0});
    settle();
    window_->apply_line("split(C.j, factor=16)");
    window_->apply_line("parallel(C.i)");
    window_->run_action("Replay on another kernel");
    auto* list = window_->findChild<QListWidget*>("replayKernels");
    QVERIFY(list && list->count() == 1);
    auto* dialog = window_->findChild<QDialog*>("replayDialog");
    dialog->accept();
    settle();
    Snapshot now = session_->snapshot();
    QCOMPARE(now.kernel, 1);
    auto* replay = window_->findChild<tw::ReplayView*>("replay");
    QVERIFY(replay->isVisible());
    QCOMPARE(replay->parts().size(), size_t(2));
    QVERIFY2(replay->parts()[0].name.contains("changed") &&
                 replay->parts()[0].name.contains("remainder"),
             qPrintable(replay->parts()[0].name));
    QVERIFY(window_->recorder().text().find("replay on small") != std::string::npos);
  }

private:
  QPoint at(int node) { return station_of(history_->layout(), node).toPoint(); }
  KernelDialog* visible_dialog() {
    for (KernelDialog* one : window_->findChildren<KernelDialog*>())
      if (one->isVisible()) return one;
    return nullptr;
  }
  void settle() {
    for (int i = 0; i < 4; ++i) {
      QVERIFY(session_->wait_idle(60));
      QTest::qWait(5);
    }
    window_->refresh();
  }
  std::unique_ptr<Workplace> place_;
  Session* session_ = nullptr;
  MainWindow* window_ = nullptr;
  tw::HistoryView* history_ = nullptr;
};

QTEST_MAIN(HistoryTest)
#include "history_test.moc"
