// A step that is pointed at is seen in the loop nest, the code and the roofline before it is taken;
// what is offered next stands at the bars and below the roofs.
#include <QDragEnterEvent>
#include <QMimeData>
#include <QtTest>

#include "engine/session/facts/facts.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/code/code_view.h"
#include "widgets/loop_nest/loop_nest_view.h"
#include "widgets/moves/move_list.h"
#include "widgets/roofline/roofline_view.h"
#include "widgets/stages/stage_row.h"

using namespace tw;
using tw::session::LoopBar;
using tw::session::MoveView;

class PointingTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(true);  // the model needs the machine's roofs
    place_->open_matmul();
    window().show();
    QVERIFY(window().perform(journal::ShowView{"suggestions"}));
    list_ = window().findChild<MoveList*>("nextMoves");
    loop_nest_ = window().findChild<LoopNestView*>("loopNest");
    roofline_ = window().findChild<RooflineView*>("roofline");
    code_ = window().findChild<CodeView*>("code");
    QVERIFY(list_ && loop_nest_ && roofline_ && code_);
    settle();
    QTRY_VERIFY(list_->shown());
    settle();
  }
  void cleanup() { place_.reset(); }

  void a_move_in_the_list_is_seen_everywhere_before_it_is_taken() {
    size_t bars = bars_of_loop_nest(), steps = nodes();
    QString program = code_->all_text();
    point_at_row(0);
    QTRY_VERIFY(loop_nest_->looks_ahead());
    QVERIFY(bars_of_loop_nest() != bars || code_->all_text() != program);
    QTRY_VERIFY(code_->all_text() != program);
    keep_picture(window(), "pointing_list");
    QCOMPARE(nodes(), steps);  // nothing was taken
    QTest::mouseMove(loop_nest_, QPoint(5, 5));
    leave(*list_);
    QTRY_VERIFY(!loop_nest_->looks_ahead());
    QTRY_COMPARE(code_->all_text(), program);
    QCOMPARE(bars_of_loop_nest(), bars);
  }

  void the_keys_point_as_well_as_the_mouse() {
    list_->setFocus();
    QTest::keyClick(list_, Qt::Key_Down);
    QTRY_VERIFY(loop_nest_->looks_ahead());
    loop_nest_->setFocus();
    QTRY_VERIFY(!loop_nest_->looks_ahead());
  }

  void a_mark_at_a_bar_is_the_best_move_of_its_loop_and_a_click_takes_it() {
    LoopBar const* marked = nullptr;
    for (NestItem const& item : loop_nest_->scene().layout.items)
      if (item.bar && loop_nest_->scene().move_of(item.bar->id)) marked = item.bar;
    QVERIFY(marked);
    MoveView move = *loop_nest_->scene().move_of(marked->id);
    QVERIFY(move.gain > 1);
    QPoint at = loop_nest_->pixels(loop_nest_->scene().mark_of(marked->id)).center();
    QTest::mouseMove(loop_nest_, at);
    QTRY_VERIFY(loop_nest_->scene().hint().size() == 2);
    QVERIFY(loop_nest_->scene().hint()[1].words.contains("modelled"));
    QVERIFY(!loop_nest_->looks_ahead());  // nothing moves below the pointer
    size_t steps = nodes();
    QTest::mouseClick(loop_nest_, Qt::LeftButton, {}, at);
    settle();
    QVERIFY(nodes() > steps);
    QVERIFY(place_->session->script().find(move.line.substr(0, move.line.find('('))) !=
            std::string::npos);
  }

  void the_best_moves_stand_below_the_roofs_and_a_click_takes_one() {
    QVERIFY(roofline_->scene().place_of_move(0));
    QPointF now = roofline_->parts().front().rect.center(),
            to = *roofline_->scene().place_of_move(0);
    QVERIFY(to.y() < now.y());  // faster is higher
    QTest::mouseMove(roofline_, roofline_->pixels(to));
    QTRY_COMPARE(pointed(), list_->shown()->moves.front().line);
    keep_picture(window(), "pointing_roofline");
    size_t steps = nodes();
    QTest::mouseClick(roofline_, Qt::LeftButton, {}, roofline_->pixels(to));
    settle();
    QVERIFY(nodes() > steps);
  }

  void a_pull_at_a_handle_tells_what_it_is_worth_while_it_is_pulled() {
    int loop = loop_called("C.j");
    QPoint handle = loop_nest_->pixels(loop_nest_->scene().layout.handle_of(loop)).center();
    QTest::mousePress(loop_nest_, Qt::LeftButton, {}, handle);
    for (int x = 0; x < 60; x += 10) QTest::mouseMove(loop_nest_, handle - QPoint(x, 0));
    QTRY_VERIFY(loop_nest_->scene().hint().size() >= 2);
    QVERIFY(loop_nest_->scene().hint()[0].words.startsWith("split(C.j"));
    QVERIFY(loop_nest_->scene().hint()[1].words.contains("modelled"));
    QCOMPARE(pointed(), loop_nest_->scene().hint()[0].words.toStdString());
    keep_picture(window(), "pointing_pull");
    QTest::keyClick(loop_nest_, Qt::Key_Escape);
    QCOMPARE(pointed(), std::string("nothing"));
    QTest::mouseRelease(loop_nest_, Qt::LeftButton, {}, handle);
  }

  void a_bar_dropped_below_the_last_one_is_the_innermost() {
    int loop = loop_called("C.i");
    NestItem const& last = loop_nest_->scene().layout.items.back();
    QVERIFY(last.bar && last.bar->reference != "C.i");
    QPoint from = loop_nest_->pixels(bar_rect(loop)).center();
    QPoint to = loop_nest_->pixels(QPointF(from.x(), last.rect.bottom() + 24));
    QTest::mousePress(loop_nest_, Qt::LeftButton, {}, from);
    QTest::mouseMove(loop_nest_, from + QPoint(0, 20));
    QTest::mouseMove(loop_nest_, to);
    QTRY_VERIFY(!loop_nest_->scene().hint().empty());
    QTest::mouseRelease(loop_nest_, Qt::LeftButton, {}, to);
    settle();
    QCOMPARE(loop_nest_->scene().layout.items.back().bar->reference, std::string("C.i"));
  }

  /// Stages are counted in the nest that is drawn, which a preview's is not.
  void a_stage_that_is_dragged_ends_the_preview() {
    point_at_row(0);
    QTRY_VERIFY(loop_nest_->looks_ahead());
    QMimeData stage;
    stage.setData(kStageType, "C");
    QPoint at = loop_nest_->pixels(bar_rect(loop_called("C.j"))).center();
    QDragEnterEvent enter(at, Qt::CopyAction, &stage, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(loop_nest_, &enter);
    QVERIFY(enter.isAccepted() && !loop_nest_->looks_ahead());
    auto outlook = std::make_shared<session::Outlook>();
    outlook->nest = std::make_shared<session::NestView>();
    loop_nest_->show_outlook(outlook);
    QVERIFY(!loop_nest_->looks_ahead());
    session::NestView const& nest = *loop_nest_->scene().nest;
    QCOMPARE(nest.stages.at(size_t(loop_nest_->scene().drag.stage)).name, std::string("C"));
    // Another nest comes: nothing is dragged any more.
    auto other = std::make_shared<session::NestView>(nest);
    loop_nest_->show_nest(other, {});
    QDragMoveEvent move(at, Qt::CopyAction, &stage, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(loop_nest_, &move);
    QVERIFY(!loop_nest_->is_dragging());
  }

  void a_dialog_shows_where_its_step_would_lead() {
    QVERIFY(window().perform(journal::SelectLoop{"C.j"}));
    leave(*loop_nest_);
    QVERIFY(window().perform(journal::ShowDialog{"step", "split"}));
    QTRY_VERIFY(loop_nest_->looks_ahead());
    keep_picture(window(), "pointing_dialog");
    auto* dialog = window().findChild<QDialog*>("stepDialog");
    QVERIFY(dialog);
    dialog->reject();
    QTRY_VERIFY(!loop_nest_->looks_ahead());
  }

  void journals_point_and_choose_whose_moves_are_listed() {
    QCOMPARE(place_->lines(
                 "preview split(C.j, factor=16)\nexpect preview contains split\n"
                 "expect preview.speedup > 0\npreview\nexpect preview nothing\n"
                 "select C.k\nsuggestions for selection\nexpect suggestions.for selection\n"
                 "expect suggestions.count > 0\nsuggestions for all\nexpect suggestions.for all\n"),
             std::string());
  }

private:
  MainWindow& window() { return *place_->window; }
  void settle() { place_->settle(); }
  size_t nodes() { return place_->session->snapshot().history->nodes.size(); }
  std::string pointed() {
    auto value = window().fact("preview");
    return value ? std::get<std::string>(*value) : "";
  }
  size_t bars_of_loop_nest() {
    size_t bars = 0;
    for (NestItem const& item : loop_nest_->scene().layout.items) bars += item.bar != nullptr;
    return bars;
  }
  int loop_called(std::string const& reference) {
    for (NestItem const& item : loop_nest_->scene().layout.items)
      if (item.bar && item.bar->reference == reference) return item.bar->id;
    return -1;
  }
  QRectF bar_rect(int loop) {
    for (NestItem const& item : loop_nest_->scene().layout.items)
      if (item.bar && item.bar->id == loop) return item.rect;
    return {};
  }
  void point_at_row(int row) {
    QTest::mouseMove(list_, list_->pixels(list_->row_rect(row).center()));
  }
  static void leave(QWidget& widget) {
    QEvent away(QEvent::Leave);
    QApplication::sendEvent(&widget, &away);
  }

  std::unique_ptr<Workplace> place_;
  MoveList* list_ = nullptr;
  LoopNestView* loop_nest_ = nullptr;
  RooflineView* roofline_ = nullptr;
  CodeView* code_ = nullptr;
};

QTEST_MAIN(PointingTest)
#include "pointing_test.moc"
