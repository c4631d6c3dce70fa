// The microscope of a simulated machine: what is seen, chosen, stepped and stopped at; two runs on
// one axis; a million spans. With TW_PICTURES set, pictures go to that folder.
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabWidget>
#include <QToolTip>
#include <QtTest>
#include <algorithm>
#include <ctime>

#include "engine/hardware/timeline_text.h"
#include "tests/gui/painted_texts.h"
#include "tests/gui/seen.h"
#include "tests/support/figures.h"
#include "tests/support/timelines.h"
#include "widgets/timeline/timeline_instructions.h"
#include "widgets/timeline/timeline_lanes.h"
#include "widgets/timeline/timeline_memory.h"
#include "widgets/timeline/timeline_queues.h"
#include "widgets/timeline/timeline_totals.h"
#include "widgets/timeline/timeline_view.h"

using namespace tw;

namespace {

double cpu_ms() { return double(std::clock()) * 1e3 / CLOCKS_PER_SEC; }

TimelineRun run_of(QString const& name, Timeline timeline) {
  return {name,
          std::make_shared<session::SimulatedState const>(session::indexed(std::move(timeline)))};
}

std::vector<TimelineRun> two_runs() {
  return {run_of("1 virtual thread", testing::made_timeline(12, 1)),
          run_of("2 virtual threads", testing::made_timeline(12, 2))};
}

QStringList names_of(QWidget const* view) {
  QStringList names;
  for (Part const& part : dynamic_cast<HasParts const*>(view)->parts()) names << part.name;
  return names;
}

void turn_wheel(QWidget& widget, QPointF at, int notches) {
  QWheelEvent turn(at, widget.mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton,
                   Qt::NoModifier, Qt::NoScrollPhase, false);
  QApplication::sendEvent(&widget, &turn);
}

void mouse(QWidget& widget, QEvent::Type what, QPointF at) {
  bool moves = what == QEvent::MouseMove;
  QMouseEvent event(what, at, widget.mapToGlobal(at), moves ? Qt::NoButton : Qt::LeftButton,
                    what == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton,
                    Qt::NoModifier);
  QApplication::sendEvent(&widget, &event);
}

void click(QWidget& widget, QPointF at) {
  mouse(widget, QEvent::MouseButtonPress, at);
  mouse(widget, QEvent::MouseButtonRelease, at);
}

}  // namespace

class TimelineTest : public QObject {
  Q_OBJECT
private slots:
  void lanes_share_the_height_and_the_key_stands_where_they_leave_room() {
    TimelineView view;
    view.set_theme(Theme::load("dark"));
    view.resize(1500, 1000);
    view.show();
    view.show_runs(two_runs(), false);
    auto* lanes = view.findChild<TimelineLanes*>();
    auto* key = view.findChild<QPushButton*>("timelineKey");
    auto* legend = view.findChild<QWidget*>("timelineLegend");
    auto* scroll = view.findChild<QScrollArea*>("timelineScroll");
    for (int i = 0; i < 4; ++i) QApplication::processEvents();
    auto high = [&](int run, int lane) { return lanes->layout().lane_rect(run, lane).height(); };
    for (int run : {0, 1}) {
      QCOMPARE(high(run, 0), 20.0);
      QVERIFY2(
          high(run, 2) > high(run, 1) && high(run, 1) > high(run, 3) && high(run, 3) > 40,
          qPrintable(QString("%1 %2 %3").arg(high(run, 1)).arg(high(run, 2)).arg(high(run, 3))));
      for (int lane = 1; lane < 5; ++lane)
        QVERIFY(lanes->layout().lane_rect(run, lane).top() >
                lanes->layout().lane_rect(run, lane - 1).bottom());
    }
    QCOMPARE(scroll->verticalScrollBar()->maximum(), 0);
    QVERIFY(legend->isVisible() && key->isChecked());
    keep_picture(view, "timeline_tall");
    QVERIFY2(wrong_words(view).isEmpty(), qPrintable(wrong_words(view)));
    view.resize(1500, 420);
    for (int i = 0; i < 4; ++i) QApplication::processEvents();
    QCOMPARE(high(1, 2), 32.0);
    QVERIFY(!legend->isVisible() && !key->isChecked());
    QTest::mouseClick(key, Qt::LeftButton);
    QVERIFY(legend->isVisible());
  }

  void init() {
    view_ = std::make_unique<TimelineView>();
    view_->set_theme(Theme::load("dark"));
    view_->resize(1200, 760);
    view_->show_choices({{"previous", "Compare with previous step"}, {"none", "This run alone"}},
                        "previous");
    view_->show_runs(two_runs(), false);
    view_->show();
    // What a pane does with what it is told.
    connect(view_.get(), &TimelineView::instruction_chosen, this,
            [this](int run, int instruction) { focus().choose(run, instruction); });
    connect(view_.get(), &TimelineView::stepped, this, [this](int steps) { focus().step(steps); });
    connect(view_.get(), &TimelineView::cursor_put, this,
            [this](qint64 cycle) { focus().put_cursor(cycle); });
    connect(view_.get(), &TimelineView::break_asked, this, [this](int queue, bool push) {
      focus().toggle({queue, push});
    });
    connect(view_.get(), &TimelineView::run_asked, this, [this] { focus().run_to_next(); });
    connect(view_.get(), &TimelineView::memory_asked, this,
            [this](int counter) { focus().show_memory(counter); });
    QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
    QApplication::processEvents();
  }
  void cleanup() { view_.reset(); }

  void what_is_painted_is_whole_and_apart_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("scale");
    for (char const* theme : {"dark", "light", "high_contrast"})
      for (QSize size : {QSize(640, 360), QSize(1000, 420), QSize(1400, 860), QSize(2000, 1000)})
        QTest::addRow("%s %d", theme, size.width()) << theme << size << 1.0;
    QTest::addRow("large") << "dark" << QSize(1400, 900) << 1.5;
    QTest::addRow("small") << "light" << QSize(900, 500) << 0.8;
  }
  void what_is_painted_is_whole_and_apart() {
    QFETCH(QString, theme);
    QFETCH(QSize, size);
    QFETCH(double, scale);
    Theme look = Theme::load(theme);
    look.scale = scale;
    view_->setStyleSheet(look.style_sheet());
    view_->set_theme(look);
    view_->resize(size);
    focus().choose(1, 14);
    focus().toggle({testing::kLoadToCompute, true});
    for (char const* tab : {"Cycles", "SRAM", "Proof"}) {
      auto* tabs = view_->findChild<QTabWidget*>("timelineTabs");
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->tabText(i) == tab) tabs->setCurrentIndex(i);
      for (int i = 0; i < 4; ++i) QApplication::processEvents();
      QStringList wrong;
      QVERIFY(testing::painted_texts(*view_, 2, wrong) > 20);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong.mid(0, 10).join("\n")));
      keep_picture(
          *view_, QString("timeline_%1_%2_%3_%4").arg(theme).arg(size.width()).arg(scale).arg(tab));
    }
    auto* bar = view_->findChild<QScrollArea*>("timelineScroll")->verticalScrollBar();
    bar->setValue(bar->maximum());
    QVERIFY2(wrong_words(*view_).isEmpty(), qPrintable(wrong_words(*view_)));
    keep_picture(*view_, QString("timeline_%1_%2_%3_end").arg(theme).arg(size.width()).arg(scale));
  }

  void both_runs_have_lanes_ends_and_totals() {
    QStringList lanes = names_of(lanes_view());
    QVERIFY2(!lanes.filter("1 virtual thread, Compute: GEMM").isEmpty(), qPrintable(lanes[0]));
    QVERIFY(!lanes.filter("2 virtual threads, Store: store").isEmpty());
    QStringList totals = names_of(view_->findChild<TimelineTotals*>());
    QCOMPARE(totals[0], QString("Compute"));  // it works most
    QVERIFY2(totals.contains("GEMM: 9,360 cycles, 9,360 cycles"), qPrintable(totals.join("\n")));
    Timeline const &one = focus().runs()[0].timeline(), &two = focus().runs()[1].timeline();
    QVERIFY(two.cycles < one.cycles);
    QVERIFY(totals.contains(
        QString("Total: %1 cycles, %2 cycles").arg(grouped(one.cycles), grouped(two.cycles))));
    int saved = qRound(100 * (1 - double(two.cycles) / double(one.cycles)));
    paint::TextLog log;
    lanes_view()->grab();
    QVERIFY(std::ranges::any_of(log.texts, [&](auto const& text) {
      return text.words == QStringLiteral("−%1 %").arg(saved);
    }));
    QVERIFY(view_->findChild<QLabel*>("timelineVerdict")
                ->text()
                .startsWith(QStringLiteral("✓ no race, no deadlock")));
  }

  void a_wheel_comes_nearer_where_it_points_and_a_drag_moves() {
    TimelineLanes& lanes = *lanes_view();
    QSignalSpy by_hand(view_.get(), &TimelineView::seen_by_user);
    QPointF at(lanes.layout().scale().x(4000), 200);
    turn_wheel(lanes, at, 4);
    QVERIFY(!focus().sees_all());
    QVERIFY(std::abs(lanes.layout().scale().cycle(at.x()) - 4000) < 1);
    double from = focus().from();
    mouse(lanes, QEvent::MouseButtonPress, at);
    mouse(lanes, QEvent::MouseMove, at - QPointF(40, 0));
    mouse(lanes, QEvent::MouseButtonRelease, at - QPointF(40, 0));
    QVERIFY(std::abs(focus().from() - from - 40 / lanes.layout().scale().per_cycle()) < 1);
    QCOMPARE(focus().instruction(), -1);  // it was no click
    turn_wheel(lanes, at, -40);
    QVERIFY(focus().sees_all());
    QVERIFY(by_hand.size() >= 3);
    turn_wheel(lanes, at, 400);
    QVERIFY(focus().to() - focus().from() >= 15);
  }

  void keys_do_what_the_mouse_does() {
    view_->setFocus();
    auto press = [&](Qt::Key key) { QTest::keyClick(view_.get(), key); };
    press(Qt::Key_W);
    press(Qt::Key_W);
    double size = focus().to() - focus().from();
    QVERIFY(size < 0.7 * double(focus().cycles()));
    focus().see(3000, 3000 + size);
    double from = focus().from();
    press(Qt::Key_D);
    QVERIFY(focus().from() > from);
    press(Qt::Key_A);
    QVERIFY(std::abs(focus().from() - from) < 1e-6);
    press(Qt::Key_S);
    QVERIFY(focus().to() - focus().from() > size);
    press(Qt::Key_0);
    QVERIFY(focus().sees_all());
    press(Qt::Key_Home);
    int first = focus().instruction();
    int64_t begun = focus().cursor();
    press(Qt::Key_Period);
    QVERIFY(focus().instruction() != first && focus().cursor() >= begun);
    press(Qt::Key_Comma);
    QCOMPARE(focus().instruction(), first);
    press(Qt::Key_Comma);
    QCOMPARE(focus().instruction(), first);  // nothing was done before
    press(Qt::Key_End);
    QVERIFY(focus().cursor() > begun);
    int last = focus().instruction();
    press(Qt::Key_Right);
    QCOMPARE(focus().instruction(), last);
  }

  void stepping_goes_through_every_instruction_in_the_order_of_time() {
    focus().step(-(1 << 30));
    std::set<int> met{focus().instruction()};
    for (size_t i = 1; i < focus().current()->timeline().instructions.size(); ++i) {
      int64_t before = focus().cursor();
      focus().step(1);
      QVERIFY(focus().cursor() >= before);
      QVERIFY(focus().cursor() >= int64_t(focus().from()) &&
              double(focus().cursor()) <= focus().to());
      met.insert(focus().instruction());
    }
    QCOMPARE(met.size(), focus().current()->timeline().instructions.size());
  }

  void a_block_and_its_row_are_one() {
    TimelineLanes& lanes = *lanes_view();
    auto* list = view_->findChild<TimelineInstructions*>();
    Timeline const& timeline = focus().current()->timeline();
    int gemm = -1;
    for (size_t i = 0; i < timeline.spans.size(); ++i)
      if (timeline.spans[i].kind == testing::kGemm) gemm = int(i);
    click(lanes, lanes.layout().span_rect(1, gemm).center());
    QCOMPARE(focus().chosen_run(), 1);
    QCOMPARE(focus().instruction(), timeline.spans[size_t(gemm)].instruction);
    QCOMPARE(focus().cursor(), timeline.spans[size_t(gemm)].begin);
    QVERIFY(list->verticalScrollBar()->value() > 0);  // the last one came into sight
    auto rows = list->parts();
    auto chosen = std::ranges::find(rows, true, &Part::selected);
    QVERIFY(chosen != rows.end());
    QVERIFY2(chosen->name.startsWith(
                 QString("instruction %1: GEMM 16x14, pop ").arg(focus().instruction())),
             qPrintable(chosen->name));
    Part const& other = rows[0];
    click(*list->viewport(), other.rect.center());
    QVERIFY(other.name.startsWith(QString("instruction %1:").arg(focus().instruction())));
    click(lanes, lanes.layout().span_rect(0, 5).center());  // of the run above
    QCOMPARE(focus().chosen_run(), 0);
    QCOMPARE(focus().current_instruction(), -1);
    click(lanes, QPointF(lanes.layout().scale().x(double(focus().cycles())) - 1,
                         lanes.layout().lane_rect(1, testing::kLoadLane).center().y()));
    QVERIFY(focus().cursor() > focus().cycles() - 100);  // nothing is done there: the cursor moves
  }

  void what_is_pointed_at_is_said() {
    TimelineLanes& lanes = *lanes_view();
    QPointF at = lanes.layout().span_rect(1, 4).center();
    QHelpEvent asks(QEvent::ToolTip, at.toPoint(), lanes.mapToGlobal(at.toPoint()));
    QApplication::sendEvent(&lanes, &asks);
    QTRY_VERIFY(QToolTip::isVisible());
    QVERIFY2(QToolTip::text().contains(" cycles, "), qPrintable(QToolTip::text()));
    QToolTip::hideText();
  }

  void a_breakpoint_stops_at_each_push_and_pop() {
    auto* queues = view_->findChild<TimelineQueues*>();
    auto* run = view_->findChild<QPushButton*>("timelineRun");
    QVERIFY(!run->isEnabled());
    click(*queues, queues->half_of({testing::kComputeToStore, true}).center());
    QVERIFY(run->isEnabled());
    QVERIFY(focus().breaks().contains({testing::kComputeToStore, true}));
    Timeline const& timeline = focus().current()->timeline();
    std::vector<int64_t> pushes;
    for (Timeline::Token const& token : timeline.tokens)
      if (token.queue == testing::kComputeToStore) pushes.push_back(token.pushed);
    for (int64_t push : pushes) {
      run->click();
      QCOMPARE(focus().cursor(), push);
      QVERIFY(timeline.instructions[size_t(focus().instruction())].text.starts_with("ALU"));
    }
    QVERIFY(!focus().run_to_next());
    click(*queues, queues->half_of({testing::kComputeToStore, true}).center());
    QVERIFY(focus().breaks().empty());
    click(*queues, queues->half_of({testing::kLoadToCompute, false}).center());
    focus().put_cursor(0);
    QVERIFY(focus().run_to_next());
    QVERIFY(timeline.instructions[size_t(focus().instruction())].text.starts_with("GEMM"));
  }

  void a_memory_shows_what_was_touched_up_to_the_cursor() {
    auto* tabs = view_->findChild<QTabWidget*>("timelineTabs");
    tabs->setCurrentIndex(1);
    QApplication::processEvents();
    auto* memory = view_->findChild<TimelineMemory*>();
    focus().show_memory(testing::kWeights);
    focus().put_cursor(0);
    auto written = [&] {
      return std::ranges::count(memory->cells(), TimelineMemory::Cell::kWritten) *
             memory->elements_per_cell();
    };
    QVERIFY(written() <= 400 + memory->elements_per_cell());
    focus().put_cursor(focus().cycles());
    // Each half was read by the product that came after its load.
    QCOMPARE(std::ranges::count(memory->cells(), TimelineMemory::Cell::kWritten), 0);
    QVERIFY(std::ranges::count(memory->cells(), TimelineMemory::Cell::kRead) > 0);
    QVERIFY(names_of(memory)[0].startsWith("weights: "));
    focus().show_memory(testing::kAccumulators);
    QVERIFY(names_of(memory)[0].startsWith("accumulators: "));
  }

  void an_instruction_that_is_cut_is_whole_in_its_tooltip() {
    auto* list = view_->findChild<TimelineInstructions*>();
    QPoint second(40, 30 + 22 + 11);
    int row = list->row_at(second);
    QVERIFY(row >= 0);
    QHelpEvent help(QEvent::ToolTip, second, list->viewport()->mapToGlobal(second));
    QApplication::sendEvent(list->viewport(), &help);
    QString text =
        QString::fromStdString(focus().current()->timeline().instructions[size_t(row)].text);
    QVERIFY2(QToolTip::text().simplified().contains(text.simplified()),
             qPrintable(QToolTip::text()));
    QToolTip::hideText();
  }

  void findings_mark_their_instructions() {
    Timeline bad = testing::made_timeline(6, 2);
    bad.proven = false;
    bad.verdict = "1 race";
    bad.findings = {{"race", "instructions 3 and 5 write element 12 of weights", {3, 5}}};
    view_->show_runs({run_of("broken", bad)}, false);
    auto* list = view_->findChild<QListWidget*>("timelineFindings");
    QCOMPARE(list->count(), 2);
    QSignalSpy asked(view_.get(), &TimelineView::finding_asked);
    emit list->itemClicked(list->item(1));
    QCOMPARE(asked.size(), 1);
    focus().mark(bad.findings[0].instructions);
    QCOMPARE(focus().instruction(), 3);
    QCOMPARE(focus().marked(), (std::vector<int32_t>{3, 5}));
    QVERIFY(view_->findChild<QLabel*>("timelineVerdict")->text().startsWith(QStringLiteral("✕")));
    QTabWidget* tabs = view_->findChild<QTabWidget*>("timelineTabs");
    QCOMPARE(tabs->tabText(2), QString("Proof (1)"));
    tabs->setCurrentIndex(2);
    QVERIFY2(wrong_words(*view_).isEmpty(), qPrintable(wrong_words(*view_)));
    keep_picture(*view_, "timeline_findings");
  }

  void an_empty_timeline_and_a_sentence_instead_are_shown() {
    view_->show_runs({run_of("empty", Timeline())}, false);
    QVERIFY(wrong_words(*view_).isEmpty());
    focus().step(1);
    QCOMPARE(focus().instruction(), -1);
    view_->show_failure("the kernel does not fit the memory weights");
    QVERIFY(view_->findChild<QLabel*>("timelineFailure")->isVisible());
    QVERIFY(!lanes_view()->isVisible());
  }

  void columns_show_the_share_that_each_kind_has() {
    // Half of all cycles are work, in spans far below a pixel.
    Timeline made = testing::made_names();
    for (int64_t at = 0; at < 2000000; at += 20)
      made.spans.push_back({testing::kComputeLane, testing::kGemm, at, at + 10, -1});
    made.cycles = 2000000;
    view_->show_runs({run_of("dense", made)}, false);
    QApplication::processEvents();
    TimelineLanes& lanes = *lanes_view();
    QImage picture = lanes.grab().toImage();
    QRectF lane = lanes.layout().lane_rect(0, testing::kComputeLane);
    Theme theme = Theme::load("dark");
    int amber = 0, rows = 0;
    double x = lanes.layout().scale().x(1000000);
    for (double y = lane.top() + 3; y < lane.bottom() - 3; y += 1, ++rows) {
      QColor pixel = picture.pixelColor((QPointF(x, y) * picture.devicePixelRatio()).toPoint());
      amber += pixel.red() > theme.inset.red() + 60;
    }
    QVERIFY2(std::abs(amber - rows / 2) <= 2, qPrintable(QString("%1 of %2").arg(amber).arg(rows)));
    keep_picture(*view_, "timeline_dense");
  }

  void a_million_spans_are_opened_and_painted_in_a_moment() {
    std::string text = to_text(testing::made_timeline(115000, 2));
    double start = cpu_ms();
    auto read = parse_timeline(text);
    QVERIFY(read);
    double parsed = cpu_ms() - start;
    std::vector<TimelineRun> runs{run_of("a million", *std::move(read))};
    double indexed = cpu_ms() - start - parsed;
    QVERIFY(runs[0].timeline().spans.size() > 1000000);
    view_->resize(1900, 900);
    view_->show_runs(runs, false);
    view_->repaint();
    lanes_view()->repaint();
    double shown = cpu_ms() - start - parsed - indexed;
    std::vector<double> frames;
    TimelineLanes& lanes = *lanes_view();
    for (int i = 0; i < 60; ++i) {
      double before = cpu_ms();
      turn_wheel(lanes, QPointF(700, 200), i < 30 ? 1 : -1);
      QApplication::processEvents();  // what has changed is painted at once
      frames.push_back(cpu_ms() - before);
    }
    std::ranges::sort(frames);
    double before = cpu_ms();
    for (int i = 0; i < 200; ++i) focus().step(1);
    double stepped = (cpu_ms() - before) / 200;
    focus().put_cursor(focus().cycles());
    qInfo(
        "a million spans: read %.0f ms, indexed %.0f ms, shown %.0f ms; a turn of the wheel "
        "%.1f ms (median), %.1f ms (most); a step %.2f ms",
        parsed, indexed, shown, frames[30], frames.back(), stepped);
    keep_picture(*view_, "timeline_million");
    QVERIFY(testing::is_bearable("a timeline opened", parsed + indexed + shown, 2000));
    QVERIFY(testing::is_bearable("a frame of the timeline", frames[30], 50));
    QVERIFY(testing::is_bearable("a step in the timeline", stepped, 50));
  }

private:
  TimelineFocus& focus() { return view_->focus(); }
  TimelineLanes* lanes_view() { return view_->findChild<TimelineLanes*>(); }
  std::unique_ptr<TimelineView> view_;
};

QTEST_MAIN(TimelineTest)
#include "timeline_test.moc"
