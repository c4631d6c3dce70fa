// The window by gesture and key, with a real session on the offscreen platform.
#include <QtTest>

#include <QShortcut>

#include <QInputDialog>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QPushButton>
#include <fstream>

#include "app/window/code_panel.h"
#include "tests/gui/workplace.h"
#include "tests/support/figures.h"
#include "widgets/code/code_view.h"
#include "widgets/graph/graph_view.h"
#include "widgets/history/history_panel.h"
#include "widgets/loop_nest/loop_nest_view.h"
#include "widgets/refusal/refusal_card.h"
#include "widgets/step_dialog/step_dialog.h"

using namespace tw;
using namespace tw::session;

class WindowTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    place_ = std::make_unique<Workplace>(false);
    session_ = place_->session.get();
    window_ = place_->window.get();
    place_->open_matmul();
    QVERIFY(session_->snapshot().nest);
    loop_nest_ = window_->findChild<LoopNestView*>("loopNest");
    QVERIFY(loop_nest_);
  }
  void cleanup() { place_.reset(); }

  void a_bar_is_dragged_to_reorder() {
    QRectF k = rect("k"), i = rect("i");
    QTest::mousePress(loop_nest_, Qt::LeftButton, {}, middle(k));
    QTest::mouseMove(loop_nest_, middle(k) - QPoint(0, 20));
    QTest::mouseMove(loop_nest_, middle(i));
    QTest::mouseRelease(loop_nest_, Qt::LeftButton, {}, middle(i));
    QCOMPARE(last_step(), QString("reorder(C.k, C.i, C.j)"));
  }

  void a_bar_dropped_on_its_neighbour_with_shift_is_fused() {
    QPoint from = middle(rect("j")), to = middle(rect("i"));
    QTest::keyPress(loop_nest_, Qt::Key_Shift);
    QTest::mousePress(loop_nest_, Qt::LeftButton, Qt::ShiftModifier, from);
    for (QPoint at : {from - QPoint(0, 10), to}) {
      QMouseEvent move(QEvent::MouseMove, QPointF(at), loop_nest_->mapToGlobal(QPointF(at)),
                       Qt::NoButton, Qt::LeftButton, Qt::ShiftModifier);
      QApplication::sendEvent(loop_nest_, &move);
    }
    QTest::mouseRelease(loop_nest_, Qt::LeftButton, Qt::ShiftModifier, to);
    QVERIFY2(last_step().endsWith("fuse(C.i, C.j)"), qPrintable(last_step()));
  }

  void a_handle_is_pulled_to_split_and_a_number_can_be_typed() {
    QRectF handle = loop_nest_->scene().layout.handle_of(bar("i").id);
    QTest::mousePress(loop_nest_, Qt::LeftButton, {}, middle(handle));
    QTest::mouseMove(loop_nest_, middle(handle) - QPoint(60, 0));
    QTest::keyClicks(loop_nest_, "7");
    QTest::keyClick(loop_nest_, Qt::Key_Return);
    QTest::mouseRelease(loop_nest_, Qt::LeftButton, {}, middle(handle) - QPoint(60, 0));
    QVERIFY2(last_step().endsWith("split(C.i, factor=7)"), qPrintable(last_step()));
    QVERIFY(bar("i.0").guarded);
  }

  void a_click_on_a_handle_is_no_step() {
    QPoint at = middle(loop_nest_->scene().layout.handle_of(bar("i").id));
    QTest::mouseClick(loop_nest_, Qt::LeftButton, {}, at);
    QCOMPARE(session_->snapshot().history->current, 0);
  }

  void history_and_roofline_are_walked_by_keys_and_carry_notes() {
    window_->apply_line("parallel(C.i)");
    auto* history = window_->findChild<tw::HistoryView*>("history");
    QTest::keyClick(history, Qt::Key_Left);
    QTest::keyClick(history, Qt::Key_Return);
    QCOMPARE(session_->snapshot().history->current, 0);
    QTest::keyClick(history, Qt::Key_Down);
    QTest::keyClick(history, Qt::Key_Return);
    QVERIFY(session_->snapshot().history->current > 0);
    window_->run_action("Write a note on the current state");
    auto* dialog = window_->findChild<QInputDialog*>("noteDialog");
    QVERIFY(dialog);
    dialog->setTextValue("worth keeping");
    dialog->accept();
    auto view = session_->snapshot().history;
    QCOMPARE(view->nodes[size_t(view->current)].note, std::string("worth keeping"));
  }

  void the_graph_keeps_its_place_when_the_window_grows() {
    auto* graph = window_->findChild<tw::GraphView*>("graph");
    QTest::keyClick(graph, Qt::Key_Minus);
    double before = graph->camera().scale();
    window_->resize(1800, 1100);
    QApplication::processEvents();
    QCOMPARE(graph->camera().scale(), before);
  }

  void what_was_wrong_with_a_command_stays_until_the_next_one() {
    window_->apply_line("nonsense(C.i)");
    window_->refresh();
    auto* status = window_->findChild<QLabel*>("status");
    QVERIFY2(status->text().endsWith("there is no primitive 'nonsense'"),
             qPrintable(status->text()));
    window_->apply_line("parallel(C.i)");
    QVERIFY(!status->text().contains("nonsense"));
  }

  void escape_ends_a_gesture_and_nothing_happened() {
    QRectF handle = loop_nest_->scene().layout.handle_of(bar("i").id);
    QTest::mousePress(loop_nest_, Qt::LeftButton, {}, middle(handle));
    QTest::mouseMove(loop_nest_, middle(handle) - QPoint(80, 0));
    QTest::keyClick(loop_nest_, Qt::Key_Escape);
    QTest::mouseRelease(loop_nest_, Qt::LeftButton, {}, middle(handle));
    QCOMPARE(session_->snapshot().history->current, 0);
  }

  void keys_choose_loops_annotate_undo_and_redo() {
    QTest::mouseClick(loop_nest_, Qt::LeftButton, {}, middle(rect("j")));
    QTest::keyClick(loop_nest_, Qt::Key_Up);
    QTest::keyClick(loop_nest_, Qt::Key_P);
    QCOMPARE(last_step(), QString("parallel(C.i)"));
    QCOMPARE(bar("i").consequence, std::string("96 tasks"));
    window_->execute(Undo{});
    QCOMPARE(session_->snapshot().history->current, 0);
    window_->execute(Redo{});
    QCOMPARE(last_step(), QString("parallel(C.i)"));
    QTest::mouseClick(loop_nest_, Qt::LeftButton, {}, middle(rect("k")));
    QTest::keyClick(loop_nest_, Qt::Key_Up, Qt::AltModifier);
    QCOMPARE(last_step(), QString("reorder(C.k, C.j)"));
  }

  /// A key of two actions would do neither.
  void every_key_has_one_action() {
    QStringList keys;
    for (QShortcut* shortcut : window_->findChildren<QShortcut*>())
      if (shortcut->parent() == window_) keys << shortcut->key().toString();
    QVERIFY(keys.size() > 10);
    QStringList twice = keys;
    for (QString const& key : QSet<QString>(keys.begin(), keys.end())) twice.removeOne(key);
    QVERIFY2(twice.isEmpty(), qPrintable(twice.join(", ")));
  }

  void a_refused_key_opens_the_card_and_a_number_takes_a_repair() {
    QTest::mouseClick(loop_nest_, Qt::LeftButton, {}, middle(rect("k")));
    QTest::keyClick(loop_nest_, Qt::Key_P);
    auto* card = window_->findChild<RefusalCard*>("refusal");
    QVERIFY(card->isVisible());
    QCOMPARE(card->shown()->code, std::string("reduction_carried"));
    QTest::keyClick(window_, Qt::Key_Escape);
    QVERIFY(!card->isVisible());
    QTest::keyClick(loop_nest_, Qt::Key_V);
    QVERIFY(card->isVisible());
    QTest::keyClick(loop_nest_, Qt::Key_P);
    QVERIFY(card->isVisible());
    QTest::keyClick(window_, Qt::Key_1);
    QVERIFY(!card->isVisible());
    QCOMPARE(last_step(), QString("parallel(C.i)"));
  }

  void a_dialog_is_made_from_what_a_primitive_declares() {
    QTest::mouseClick(loop_nest_, Qt::LeftButton, {}, middle(rect("j")));
    QTest::keyClick(loop_nest_, Qt::Key_S);
    auto* dialog = window_->findChild<StepDialog*>("stepDialog");
    QVERIFY(dialog);
    QVERIFY(dialog->height() >= dialog->layout()->totalHeightForWidth(dialog->width()));
    auto* factor = dialog->findChild<QLineEdit*>("value_factor");
    QVERIFY(factor);
    factor->setText("200");
    QVERIFY(!dialog->findChild<QPushButton*>("apply")->isEnabled());
    factor->setText("16");
    QCOMPARE(dialog->line(), QString("split(C.j, factor=16)"));
    QVERIFY(dialog->findChild<QPushButton*>("apply")->isEnabled());
    dialog->accept();
    QVERIFY(last_step().endsWith("split(C.j, factor=16)"));
  }

  void hovering_a_line_lights_its_loop_and_selecting_a_bar_its_lines() {
    CodeView& code = window_->findChild<CodePanel*>("codePanel")->view();
    for (int i = 0; i < 300 && !code.text(); ++i) QTest::qWait(10);
    QVERIFY(code.text());
    QVERIFY(session_->wait_idle(10));
    QTest::qWait(50);
    auto* selection = window_->findChild<Selection*>();
    int wanted = bar("k").id, line = -1;
    for (size_t i = 0; i < code.text()->lines.size(); ++i)
      if (code.text()->lines[i].loop == wanted) line = int(i);
    QVERIFY(line >= 0);
    // Sent directly: where the platform believes the pointer to be must not matter.
    QPointF at(200, line * 20 + 18);
    QMouseEvent move(QEvent::MouseMove, at, code.viewport()->mapToGlobal(at), Qt::NoButton,
                     Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(code.viewport(), &move);
    QCOMPARE(selection->hovered(), wanted);
    QTest::mouseClick(loop_nest_, Qt::LeftButton, {}, middle(rect("i")));
    QCOMPARE(selection->loop(), bar("i").id);
  }

  void a_step_is_on_the_screen_within_a_tenth_of_a_second() {
    CodeView& code = window_->findChild<CodePanel*>("codePanel")->view();
    for (char const* line : {"split(C.i, factor=8)", "split(C.j, factor=16)",
                             "reorder(C.i.0, C.j.0, C.k, C.i.1, C.j.1)", "vectorize(C.j.1)",
                             "unroll(C.i.1)", "parallel(C.i.0)"}) {
      QElapsedTimer timer;
      timer.start();
      window_->apply_line(line);
      uint64_t wanted = session_->snapshot().nest->program_hash;
      while ((!code.text() || code.text()->program_hash != wanted) && timer.elapsed() < 5000)
        QApplication::processEvents(QEventLoop::WaitForMoreEvents, 1);
      window_->grab();
      double ms = double(timer.nsecsElapsed()) / 1e6;
      qInfo("%s: %.1f ms", line, ms);
      QVERIFY2(code.text() && code.text()->program_hash == wanted, line);
      QVERIFY(testing::is_bearable("a step on the screen", ms, 100));
    }
  }

  void twenty_thousand_lines_are_drawn_at_once() {
    auto text = std::make_shared<CodeText>();
    for (int i = 0; i < 20000; ++i) {
      CodeLine line;
      line.text = "  acc.0[ramp(0, 1, 16)] = acc.0[ramp(0, 1, 16)]+broadcast(W[" +
                  std::to_string(i) + "], 16)";
      text->lines.push_back(line);
    }
    Selection selection;
    CodeView view(selection);
    view.set_theme(Theme::load("dark"));
    view.resize(900, 700);
    QElapsedTimer timer;
    timer.start();
    view.show_text(text, session_->snapshot().nest);
    view.grab();
    QVERIFY(testing::is_bearable("twenty thousand lines of code", double(timer.elapsed()), 200));
  }

  void every_view_draws_in_every_theme_at_small_and_large_sizes() {
    for (char const* theme : {"dark", "light", "high_contrast"})
      for (QSize size : {QSize(1280, 800), QSize(2560, 1440)}) {
        window_->set_theme(theme);
        window_->resize(size);
        QTest::qWait(20);
        for (int tab = 0; tab < 3; ++tab) {
          window_->show_centre(tab);
          QTest::qWait(10);
          QImage picture = window_->grab().toImage();
          QSet<QRgb> colours;
          for (int y = 0; y < picture.height(); y += 7)
            for (int x = 0; x < picture.width(); x += 7) colours.insert(picture.pixel(x, y));
          QVERIFY2(colours.size() > 8, theme);
        }
      }
  }

  void texts_have_enough_contrast_on_their_grounds() {
    auto light = [](QColor const& c) {
      auto part = [](double v) {
        return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
      };
      return 0.2126 * part(c.redF()) + 0.7152 * part(c.greenF()) + 0.0722 * part(c.blueF());
    };
    auto ratio = [&](QColor const& a, QColor const& b) {
      double x = light(a), y = light(b);
      return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
    };
    for (char const* name : {"dark", "light", "high_contrast"}) {
      Theme t = Theme::load(name);
      for (QColor const& ground : {t.window, t.panel, t.raised, t.control, t.inset})
        for (QColor const& text : {t.text1, t.text2, t.text3, t.ok, t.warn, t.error})
          QVERIFY2(ratio(text, ground) >= 4.4, name);
      for (int axis = 0; axis < 8; ++axis)
        for (double fill : {t.outer_fill, t.inner_fill})
          QVERIFY2(ratio(t.text1, Theme::mix(t.hue(axis), t.panel, fill)) >= 4.4, name);
    }
  }

  void work_is_there_after_a_restart_of_the_window() {
    window_->apply_line("split(C.i, factor=8)");
    window_->projects().close();
    QTemporaryDir kept;  // the work lies there when its window is gone
    QString state = kept.filePath("state");
    QVERIFY(QDir().mkpath(state));
    QVERIFY(
        QFile::copy(place_->folder.filePath("state/session.twproj"), state + "/session.twproj"));
    auto model = std::move(place_);  // its folder has the model
    place_ = std::make_unique<Workplace>(false, state);
    session_ = place_->session.get();
    window_ = place_->window.get();
    QVERIFY(window_->projects().keeper().restore_last());
    QVERIFY(settle(*window_, *session_));
    QVERIFY2(last_step().endsWith("split(C.i, factor=8)"), qPrintable(last_step()));
  }

private:
  LoopBar bar(std::string const& name) {
    for (LoopBar const& b : session_->snapshot().nest->bars)
      if (b.name == name) return b;
    return {};
  }
  QRectF rect(std::string const& name) {
    for (auto const& item : loop_nest_->scene().layout.items)
      if (item.bar && item.bar->name == name) return item.rect;
    return {};
  }
  static QPoint middle(QRectF const& r) { return r.center().toPoint(); }
  QString last_step() {
    auto history = session_->snapshot().history;
    return QString::fromStdString(history->nodes[size_t(history->current)].step);
  }

  std::unique_ptr<Workplace> place_;
  Session* session_ = nullptr;
  MainWindow* window_ = nullptr;
  LoopNestView* loop_nest_ = nullptr;
};

QTEST_MAIN(WindowTest)
#include "window_test.moc"
