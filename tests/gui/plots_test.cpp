// The plots of a tuning: nearer and back, what is pointed at, and ten thousand trials.
#include <QToolTip>
#include <QtTest>

#include <ctime>

#include "tests/gui/made_up_tuning.h"
#include "tests/gui/seen.h"
#include "tests/support/figures.h"
#include "widgets/paint/paint.h"
#include "widgets/plot/plot_ticks.h"
#include "widgets/tuning/tuning_chart.h"
#include "widgets/tuning/tuning_predictions.h"

using namespace tw;

namespace {

double cpu_ms() { return double(std::clock()) * 1e3 / CLOCKS_PER_SEC; }

TuningScale scale() { return {.flops = 231e6, .roof = 288}; }

session::TuningView runs_of(int trials) { return {{made_up(1, "genetic", trials, 2.9)}}; }

void turn_wheel(QWidget& plot, QPointF at, int notches) {
  QWheelEvent turn(at, plot.mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton,
                   Qt::NoModifier, Qt::NoScrollPhase, false);
  QApplication::sendEvent(&plot, &turn);
}

/// Sent directly: where the platform believes the pointer to be must not matter.
void move_to(QWidget& plot, QPointF at, Qt::MouseButtons buttons) {
  QMouseEvent move(QEvent::MouseMove, at, plot.mapToGlobal(at), Qt::NoButton, buttons,
                   Qt::NoModifier);
  QApplication::sendEvent(&plot, &move);
}

/// How many pixels around have a colour nearer to `wanted` than to the ground.
int inked(QImage const& picture, QPointF at, QColor const& wanted, QColor const& ground) {
  auto away = [](QColor const& a, QColor const& b) {
    return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
           std::abs(a.blue() - b.blue());
  };
  int count = 0;
  double dots = picture.devicePixelRatio();
  for (double y = -3; y <= 3; ++y)
    for (double x = -3; x <= 3; ++x) {
      QColor pixel = picture.pixelColor(((at + QPointF(x, y)) * dots).toPoint());
      count += away(pixel, wanted) < away(pixel, ground);
    }
  return count;
}

}  // namespace

class PlotsTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    chart_ = std::make_unique<TuningChart>();
    chart_->set_theme(Theme::load("dark"));
    chart_->resize(800, 400);
    chart_->show_runs(runs_of(100), scale());
    chart_->show();
    QVERIFY(QTest::qWaitForWindowExposed(chart_.get()));
    QApplication::processEvents();
  }
  void cleanup() { chart_.reset(); }

  void a_wheel_comes_nearer_and_a_double_click_shows_all() {
    QCPRange x = chart_->xAxis->range(), y = chart_->yAxis->range();
    QPointF at = dot(50);
    turn_wheel(*chart_, at, 3);
    QVERIFY(chart_->is_near());
    QVERIFY(chart_->xAxis->range().size() < 0.7 * x.size());
    QVERIFY(chart_->yAxis->range().size() < 0.7 * y.size());
    QVERIFY((dot(50) - at).manhattanLength() < 2);  // what was pointed at stays there
    turn_wheel(*chart_, at, -30);
    QVERIFY(!chart_->is_near());
    QCOMPARE(chart_->xAxis->range(), x);
    turn_wheel(*chart_, at, 3);
    QTest::mouseDClick(chart_.get(), Qt::LeftButton, {}, QPoint(300, 120));
    QVERIFY(!chart_->is_near());
    QCOMPARE(chart_->xAxis->range(), x);
    QCOMPARE(chart_->yAxis->range(), y);
  }

  /// One sample of half the time, which the last comparison did not repeat.
  void a_lucky_sample_is_no_best() {
    auto run = made_up(1, "learned", 60, 2);
    run->state = session::TuningState::kEnded;
    run->best = 50;
    double least = run->least_ms();
    run->best_ms = 2 * least, run->default_ms = 2.02 * least;
    chart_->show_runs({{run}}, scale());
    QString said = chart_->parts()[0].name, best = paint::number(scale().value(2 * least));
    QVERIFY2(said.contains("best " + best), qPrintable(said));
    run = std::make_shared<session::TuningRun>(*run);
    run->best_ms.reset();  // nothing was compared: what is known is the trials
    chart_->show_runs({{run}}, scale());
    said = chart_->parts()[0].name;
    QVERIFY2(said.contains("best " + paint::number(scale().value(least))), qPrintable(said));
  }

  void over_an_axis_only_that_axis_changes() {
    QCPRange x = chart_->xAxis->range(), y = chart_->yAxis->range();
    QRect area = chart_->axisRect()->rect();
    turn_wheel(*chart_, QPointF(area.center().x(), area.bottom() + 10), 2);
    QVERIFY(chart_->xAxis->range().size() < x.size());
    QCOMPARE(chart_->yAxis->range(), y);
  }

  void what_one_came_near_to_stays_while_trials_come() {
    QCPRange before = chart_->xAxis->range();
    chart_->show_runs(runs_of(150), scale());
    QVERIFY(chart_->xAxis->range().upper > before.upper);  // all of it, so the plot follows
    turn_wheel(*chart_, dot(50), 4);
    QCPRange x = chart_->xAxis->range(), y = chart_->yAxis->range();
    chart_->show_runs(runs_of(400), scale());
    QCOMPARE(chart_->xAxis->range(), x);
    QCOMPARE(chart_->yAxis->range(), y);
    chart_->show_all();
    QVERIFY(chart_->xAxis->range().upper > 400);
    turn_wheel(*chart_, dot(50), 4);
    chart_->show_runs({{made_up(7, "random", 80, 2)}}, scale());  // of another kernel
    QVERIFY(!chart_->is_near());
  }

  void a_drag_moves_and_no_edge_is_passed() {
    QCPRange whole = chart_->xAxis->range();
    turn_wheel(*chart_, QPointF(400, 200), 6);
    QCPRange before = chart_->xAxis->range();
    QSignalSpy chosen(chart_.get(), &TrialPlot::trial_chosen);
    drag({400, 200}, {340, 200});
    QVERIFY(chart_->xAxis->range().lower > before.lower);
    QVERIFY(std::abs(chart_->xAxis->range().size() - before.size()) < 1e-6 * before.size());
    for (int i = 0; i < 30; ++i) drag({200, 200}, {500, 200});
    QVERIFY(std::abs(chart_->xAxis->range().lower - whole.lower) < 1e-9);
    QVERIFY(std::abs(chart_->xAxis->range().size() - before.size()) < 1e-6 * before.size());
    QVERIFY(chosen.isEmpty());
    turn_wheel(*chart_, QPointF(400, 200), 500);
    QVERIFY(chart_->xAxis->range().size() > whole.size() / 400);
  }

  void keys_do_what_the_mouse_does() {
    QCPRange whole = chart_->xAxis->range();
    chart_->setFocus();
    for (int i = 0; i < 4; ++i) QTest::keyClick(chart_.get(), Qt::Key_Plus);
    QCPRange near = chart_->xAxis->range();
    QVERIFY(near.size() < 0.5 * whole.size());
    QTest::keyClick(chart_.get(), Qt::Key_Left);
    QVERIFY(chart_->xAxis->range().upper < near.upper);
    QTest::keyClick(chart_.get(), Qt::Key_Right);
    QVERIFY(std::abs(chart_->xAxis->range().upper - near.upper) < 1e-6 * whole.size());
    double low = chart_->yAxis->range().lower;
    QTest::keyClick(chart_.get(), Qt::Key_Up);
    QVERIFY(chart_->yAxis->range().lower > low);
    QTest::keyClick(chart_.get(), Qt::Key_Minus);
    QVERIFY(chart_->xAxis->range().size() > near.size());
    QTest::keyClick(chart_.get(), Qt::Key_0);
    QCOMPARE(chart_->xAxis->range(), whole);
    QSignalSpy opened(chart_.get(), &TrialPlot::open_asked);
    QTest::keyClick(chart_.get(), Qt::Key_Return);
    QCOMPARE(opened.size(), 0);  // nothing is chosen
    chart_->select({1, 50});
    QTest::keyClick(chart_.get(), Qt::Key_Return);
    QCOMPARE(opened.size(), 1);
    QCOMPARE(opened[0][0].value<ChosenTrial>(), (ChosenTrial{1, 50}));
  }

  void what_is_pointed_at_is_said_and_a_click_chooses_it() {
    move_to(*chart_, dot(50), Qt::NoButton);
    QTRY_VERIFY(QToolTip::isVisible());
    QVERIFY2(QToolTip::text().startsWith("trial 50\n"), qPrintable(QToolTip::text()));
    QVERIFY(QToolTip::text().contains("genetic search") && QToolTip::text().contains("predicted"));
    QSignalSpy chosen(chart_.get(), &TrialPlot::trial_chosen);
    QTest::mouseClick(chart_.get(), Qt::LeftButton, {}, dot(50).toPoint());
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].value<ChosenTrial>(), (ChosenTrial{1, 50}));
    QPoint empty(chart_->axisRect()->rect().bottomRight() - QPoint(20, 8));
    QTest::mouseClick(chart_.get(), Qt::LeftButton, {}, empty);
    QCOMPARE(chosen.size(), 1);
    QHelpEvent asks(QEvent::ToolTip, empty, chart_->mapToGlobal(empty));
    QApplication::sendEvent(chart_.get(), &asks);
    QTRY_VERIFY(QToolTip::text().contains("Double click, 0: reset"));
    QToolTip::hideText();
  }

  void dots_lines_and_the_ring_are_where_they_should_be() {
    Theme theme = Theme::load("dark");
    QColor hue = search_colour(theme, "genetic");
    keep_picture(*chart_, "plot");
    QVERIFY(inked(picture(), dot(50), hue, theme.inset) >= 5);
    QCOMPARE(inked(picture(), dot(50) + QPointF(11, 0), theme.ink, theme.inset) > 0, false);
    chart_->select({1, 50});
    QVERIFY(inked(picture(), dot(50) + QPointF(8, 0), theme.ink, theme.inset) >= 5);
    // The step before a better trial is at the height of the one before.
    auto run = made_up(1, "genetic", 100, 2.9);
    QPointF end = chart_->position(100, run->least_ms());
    QVERIFY(inked(picture(), end - QPointF(2, 0), hue, theme.inset) >= 8);
    turn_wheel(*chart_, chart_->axisRect()->rect().topRight(), 8);
    QVERIFY(!QRectF(chart_->axisRect()->rect()).contains(dot(50)));
    picture();  // the ring is not painted beside the plot
    QVERIFY(chart_->is_near());
  }

  void labels_have_arrows_where_their_lines_are_out_of_sight() {
    auto words = [&] {
      paint::TextLog log;
      chart_->grab();
      QStringList list;
      for (auto const& text : log.texts) list << text.words;
      return list;
    };
    QVERIFY2(words().contains("roof 288"), qPrintable(words().join("|")));
    turn_wheel(*chart_, QPointF(300, chart_->axisRect()->rect().bottom() - 20), 6);
    QVERIFY2(words().contains(QStringLiteral("roof 288 ↑")), qPrintable(words().join("|")));
    QVERIFY(words().contains("0 shows all"));
    QVERIFY2(wrong_words(*chart_).isEmpty(), qPrintable(wrong_words(*chart_)));
  }

  void predictions_are_chosen_and_come_nearer_too() {
    TuningPredictions plot;
    plot.set_theme(Theme::load("light"));
    plot.resize(300, 300);
    auto run = made_up(1, "genetic", 100, 2.9);
    plot.show_runs({{run}}, scale());
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    QApplication::processEvents();
    session::TuningTrial const& trial = *run->trial(1);
    QPointF at = plot.position(trial.predicted_ms, trial.ms);
    QSignalSpy chosen(&plot, &TrialPlot::trial_chosen);
    QTest::mouseClick(&plot, Qt::LeftButton, {}, at.toPoint());
    QCOMPARE(chosen.size(), 1);
    QCPRange whole = plot.xAxis->range();
    turn_wheel(plot, at, 3);
    QVERIFY(plot.xAxis->range().lower > 0 && plot.xAxis->range().size() < whole.size());
    QVERIFY((plot.position(trial.predicted_ms, trial.ms) - at).manhattanLength() < 2);
    QVERIFY2(wrong_words(plot).isEmpty(), qPrintable(wrong_words(plot)));
    plot.pan(5, 5);
    QVERIFY(std::abs(plot.xAxis->range().upper - whole.upper) < 1e-6);
  }

  void ticks_are_round_and_apart_data() {
    QTest::addColumn<double>("lower");
    QTest::addColumn<double>("upper");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("trials") << 0.0 << 512.0 << QStringList{"0", "100", "200", "300", "400", "500"};
    QTest::newRow("near") << 250.2 << 253.9 << QStringList{"251", "252", "253"};
    QTest::newRow("many") << 0.0 << 10100.0
                          << QStringList{"0", "2000", "4000", "6000", "8000", "10000"};
  }
  void ticks_are_round_and_apart() {
    QFETCH(double, lower);
    QFETCH(double, upper);
    QFETCH(QStringList, words);
    PlotTicks ticks(chart_->xAxis, 6, tick_number, 1);
    chart_->xAxis->setTicks(true);
    QSignalBlocker quiet(chart_->xAxis);  // the plot would hold the range to what there is
    chart_->xAxis->setRange(lower, upper);
    QVector<double> at;
    QVector<QString> list;
    ticks.generate({lower, upper}, {}, 'g', 6, at, nullptr, &list);
    QCOMPARE(QStringList(list), words);
    QCOMPARE(at.size(), list.size());
  }

  void ten_thousand_trials_do_not_hold_the_window() {
    session::TuningView many{{made_up(1, "genetic", 5000, 2.9), made_up(2, "random", 5000, 3.2)}};
    TuningPredictions predictions;
    predictions.set_theme(Theme::load("dark"));
    for (auto [plot, size] : {std::pair<TrialPlot*, QSize>{chart_.get(), {1900, 900}},
                              std::pair<TrialPlot*, QSize>{&predictions, {360, 500}}}) {
      plot->resize(size);
      plot->show();
      QApplication::processEvents();
      std::vector<double> news, nearer;
      for (int i = 0; i < 12; ++i) {
        double before = cpu_ms();
        plot == chart_.get() ? chart_->show_runs(many, scale())
                             : predictions.show_runs(many, scale());
        plot->repaint();
        news.push_back(cpu_ms() - before);
      }
      for (int i = 0; i < 12; ++i) {
        double before = cpu_ms();
        plot->zoom(i < 6 ? 0.8 : 1.25, QRectF(plot->rect()).center());
        plot->repaint();
        nearer.push_back(cpu_ms() - before);
      }
      std::ranges::sort(news), std::ranges::sort(nearer);
      qInfo("%s: new trials %.1f ms, a step nearer %.1f ms (medians)",
            qPrintable(plot->objectName()), news[6], nearer[6]);
      QVERIFY(testing::is_bearable("a plot with news", news[6], 2 * 16));
      QVERIFY(testing::is_bearable("a plot that is zoomed", nearer[6], 16));
    }
    double before = cpu_ms();
    for (int x = 100; x < 1100; x += 10) move_to(*chart_, QPointF(x, 300), Qt::NoButton);
    double pointed = (cpu_ms() - before) / 100;
    qInfo("pointing %.2f ms", pointed);
    QVERIFY(testing::is_bearable("a point that is pointed at", pointed, 16));
    QToolTip::hideText();
  }

  void a_hidden_plot_draws_nothing_until_it_is_seen() {
    chart_->hide();
    QSignalSpy drawn(chart_.get(), &QCustomPlot::afterReplot);
    for (int i = 110; i < 130; ++i) {
      chart_->show_runs(runs_of(i), scale());
      chart_->resize(600 + i, 400);
      paint::TextLog log;  // rendering anything sends what hidden ones have not been told yet
      QWidget().grab();
      QApplication::processEvents();
      QVERIFY(log.texts.empty());
    }
    QCOMPARE(drawn.size(), 0);
    chart_->show();
    QTRY_VERIFY(drawn.size() > 0);
  }

private:
  QPointF dot(int trial) const {
    return chart_->position(trial, made_up(1, "genetic", 100, 2.9)->trial(trial)->ms);
  }
  QImage picture() {
    QApplication::processEvents();
    return chart_->grab().toImage();
  }
  void drag(QPoint from, QPoint to) {
    QTest::mousePress(chart_.get(), Qt::LeftButton, {}, from);
    move_to(*chart_, QPointF(from + to) / 2, Qt::LeftButton);
    move_to(*chart_, to, Qt::LeftButton);
    QTest::mouseRelease(chart_.get(), Qt::LeftButton, {}, to);
  }

  std::unique_ptr<TuningChart> chart_;
};

QTEST_MAIN(PlotsTest)
#include "plots_test.moc"
