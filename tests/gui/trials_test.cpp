// Trials by their knobs: parallel axes that keep a range, a slice of one knob, and a hundred
// thousand of them.
#include <QtTest>

#include <QSignalSpy>

#include "tests/gui/made_up_tuning.h"
#include "tests/gui/seen.h"
#include "widgets/tuning/trials_view.h"

using namespace tw;
using namespace tw::session;

namespace {

TuningView runs(int trials) {
  TuningView view;
  view.runs.push_back(made_up(1, "genetic", trials, 20));
  return view;
}

}  // namespace

class TrialsTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    view_ = std::make_unique<TrialsView>();
    view_->set_theme(Theme::load("dark"));
    view_->resize(1000, 420);
    view_->show_runs(runs(300));
    // As the pane does it.
    connect(view_.get(), &TrialsView::range_asked, view_.get(),
            [this](int axis, std::optional<AxisRange> range) {
              view_->show_filter(view_->with_range(axis, range));
            });
    view_->show();
    QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
  }
  void cleanup() { view_.reset(); }

  void an_axis_for_each_knob_that_differs() {
    QCOMPARE(view_->space().axes.size(), size_t(1));  // the other two have one value
    QCOMPARE(view_->space().axes[0].knob, std::string("conv2d.ow.i"));
    QCOMPARE(view_->plot().axes(), 2);
    QCOMPARE(view_->kept(), int(view_->space().points.size()));
  }

  void a_drag_along_an_axis_keeps_what_crosses_it_there() {
    ParallelPlot& plot = view_->plot();
    QPoint from = (plot.place(0, 0.6) * plot.unit()).toPoint();
    QPoint to = (plot.place(0, -0.4) * plot.unit()).toPoint();
    QTest::mousePress(&plot, Qt::LeftButton, {}, from);
    QTest::mouseMove(&plot, (from + to) / 2);
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, to);
    QCOMPARE(view_->filter().ranges.size(), size_t(1));
    AxisRange range = view_->filter().ranges[0];
    QCOMPARE(range.low, 0.0);
    QVERIFY(range.high <= 1);
    for (size_t i = 0; i < view_->space().points.size(); ++i)
      QCOMPARE(bool(kept_by(view_->space(), view_->filter())[i]),
               view_->space().points[i].values[0] <= range.high);
    QVERIFY(view_->kept() < int(view_->space().points.size()));
    // A click keeps all again.
    QTest::mouseClick(&plot, Qt::LeftButton, {}, from);
    QCOMPARE(view_->kept(), int(view_->space().points.size()));
  }

  void keys_go_over_axes_and_values() {
    ParallelPlot& plot = view_->plot();
    plot.setFocus();
    QTest::keyClick(&plot, Qt::Key_Up);
    QCOMPARE(view_->filter().ranges[0], (AxisRange{0, 0, 0}));
    QTest::keyClick(&plot, Qt::Key_Up);
    QCOMPARE(view_->filter().ranges[0], (AxisRange{0, 1, 1}));
    QTest::keyClick(&plot, Qt::Key_Delete);
    QVERIFY(view_->filter().ranges.empty());
    QSignalSpy chosen(&plot, &ParallelPlot::axis_chosen);
    QTest::keyClick(&plot, Qt::Key_Right);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(plot.chosen_axis(), 1);
    QTest::keyClick(&plot, Qt::Key_Down);  // the fastest tenth
    QVERIFY(view_->kept() > 0 && view_->kept() < int(view_->space().points.size()));
    QVERIFY(plot.parts().size() == 2 && plot.parts()[1].name.contains("time, from"));
  }

  void a_slice_has_the_fastest_of_each_value() {
    view_->choose_axis(0);
    std::vector<double> least = view_->slice().fastest();
    QCOMPARE(least.size(), view_->space().axes[0].values.size());
    for (size_t value = 0; value < least.size(); ++value)
      for (TrialPoint const& point : view_->space().points)
        if (point.values[0] == int(value)) QVERIFY(least[value] <= point.ms);
    QCOMPARE(view_->slice().parts().size(), least.size());
  }

  void the_fastest_part_is_a_filter_too() {
    TrialFilter filter;
    filter.top = 0.1;
    view_->show_filter(filter);
    QVERIFY(std::abs(view_->kept() - int(view_->space().points.size()) / 10) <= 1);
    ChosenTrial best = view_->fastest();
    QVERIFY(best.run == 1 && best.trial > 0);
  }

  void a_logarithmic_axis_spreads_the_fast_ones() {
    ParallelPlot& plot = view_->plot();
    double least = view_->space().least_ms, most = view_->space().most_ms;
    double middle = std::sqrt(least * most);
    double half = (plot.place(1, least).y() + plot.place(1, most).y()) / 2;
    QVERIFY(std::abs(plot.place(1, middle).y() - half) < 1);
    view_->show_logarithmic(false);
    QVERIFY(std::abs(plot.place(1, (least + most) / 2).y() - half) < 1);
  }

  /// Drawn are pieces that can be told apart, however many trials are behind them.
  void a_hundred_thousand_are_drawn_as_what_differs() {
    view_->show_runs(runs(100000));
    view_->grab();
    QVERIFY(view_->space().points.size() > 80000);
    int few = view_->plot().drawn_lines();
    QVERIFY2(few > 0 && few <= 4 * 201, qPrintable(QString::number(few)));
  }

  void it_is_whole_in_every_theme_data() {
    QTest::addColumn<QString>("theme");
    for (char const* theme : {"dark", "light", "high_contrast"}) QTest::newRow(theme) << theme;
  }
  void it_is_whole_in_every_theme() {
    QFETCH(QString, theme);
    TuningView many = runs(2000);
    auto run = std::make_shared<TuningRun>(*many.runs[0]);
    for (auto& trial : run->trials) {
      auto other = std::make_shared<TuningTrial>(*trial);
      other->knobs[1].second = std::to_string(1 << other->number % 5);
      other->knobs[2].second = std::to_string(8 << other->number % 3);
      trial = other;
    }
    many.runs[0] = run;
    view_->set_theme(Theme::load(theme));
    view_->show_runs(many);
    view_->show_filter(view_->with_range(0, AxisRange{0, 1, 2}));
    QApplication::processEvents();
    QVERIFY(view_->plot().axes() >= 4);
    QVERIFY2(wrong_words(view_->plot()).isEmpty(), qPrintable(wrong_words(view_->plot())));
    QVERIFY2(wrong_words(view_->slice()).isEmpty(), qPrintable(wrong_words(view_->slice())));
    keep_picture(*view_, "trials_" + theme);
  }

private:
  std::unique_ptr<TrialsView> view_;
};

QTEST_MAIN(TrialsTest)
#include "trials_test.moc"
