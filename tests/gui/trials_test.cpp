// Trials by their knobs: parallel axes that keep a range, a slice of one knob, and a hundred
// thousand of them.
#include <QtTest>

#include <QSignalSpy>

#include "tests/gui/made_up_tuning.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
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
    std::set<std::string> knobs;
    for (TrialAxis const& axis : view_->space().axes) knobs.insert(axis.knob);
    QCOMPARE(knobs, (std::set<std::string>{"conv2d.oc.i", "conv2d.ow.i", "conv2d.unroll"}));
    QCOMPARE(view_->plot().axes(), 4);
    QCOMPARE(view_->kept(), int(view_->space().points.size()));
  }

  /// A trial names what differs from the rule, and no more: it is drawn over all axes all the same.
  void every_trial_crosses_every_axis() {
    TuningView few = runs(8);
    view_->show_runs(few);
    for (TrialAxis const& axis : view_->space().axes) {
      QVERIFY2(axis.by_rule >= 0, axis.knob.c_str());
      QCOMPARE(axis.words(axis.by_rule), std::string("default"));
    }
    TrialPoint const& first = view_->space().points[0];
    for (size_t axis = 0; axis < first.values.size(); ++axis)
      QCOMPARE(first.values[axis], view_->space().axes[axis].by_rule);
    // The line of the fastest one is strong from the first axis to the last, in a theme that comes
    // later, too.
    view_->show_filter({.ranges = {}, .top = 0.01});
    QCOMPARE(view_->kept(), 1);
    for (char const* theme : {"dark", "light"}) {
      Theme look = Theme::load(theme);
      view_->set_theme(look);
      for (int axis = 0; axis + 1 < view_->plot().axes(); ++axis)
        QVERIFY2(is_strong_after(axis, look.ink),
                 qPrintable(QString("%1 after axis %2").arg(theme).arg(axis)));
    }
  }

  void the_rules_value_is_said_once_it_is_known_and_what_is_kept_stays() {
    int axis = view_->space().axis_of("conv2d.ow.i");
    TrialAxis before = view_->space().axes[size_t(axis)];
    view_->choose_axis(axis);
    view_->show_filter(view_->with_range(axis, AxisRange{axis, 1, 1}));
    std::string kept = before.words(1);
    int many = view_->kept();
    view_->show_runs(runs(300), {{1, {{"conv2d.ow.i", "16"}}}});
    TrialAxis const& now = view_->space().axes[size_t(axis)];
    QCOMPARE(now.words(now.by_rule), std::string("default 16"));
    QCOMPARE(now.by_rule, 2);  // 4 8 16 32
    QCOMPARE(view_->plot().chosen_axis(), axis);
    QCOMPARE(now.words(int(view_->filter().ranges.at(0).low)), kept);
    QCOMPARE(view_->kept(), many);
    QVERIFY(view_->slice().parts()[2].name.startsWith("default 16: "));
  }

  /// With a search that really runs.
  void a_tuning_has_every_trial_on_every_axis() {
    Workplace place(false);
    place.open_matmul();
    QCOMPARE(place.lines("tune trials 10 seed 3\n"), std::string());
    place.settle();
    QCOMPARE(place.lines("show trials\nexpect trials.axes > 1\n"), std::string());
    place.settle();
    auto* view = place.window->findChild<TrialsView*>("trialsView");
    auto tuning = place.session->snapshot().tuning;
    TuningRun const& run = *tuning->runs.at(0);
    QVERIFY(std::ranges::any_of(run.trials, [](auto const& one) { return one->knobs.empty(); }));
    int known = 0;
    for (TrialAxis const& axis : view->space().axes) {
      QVERIFY2(axis.by_rule >= 0, axis.knob.c_str());
      known += !axis.values[size_t(axis.by_rule)].empty();
    }
    QVERIFY(known > 0);
    for (TrialPoint const& point : view->space().points)
      for (size_t axis = 0; axis < point.values.size(); ++axis)
        QVERIFY(point.values[axis] >= 0 &&
                point.values[axis] < int(view->space().axes[axis].values.size()));
    std::string knob = view->space().axes[0].knob;
    QCOMPARE(place.lines("keep trials " + knob + " \"by rule\"\nexpect trials.kept > 0\n"),
             std::string());
    for (char const* theme : {"dark", "light"}) {
      QCOMPARE(place.lines(std::string("theme ") + theme + "\n"), std::string());
      place.settle();
      QVERIFY2(wrong_words(*view).isEmpty(), qPrintable(wrong_words(*view)));
      keep_picture(*place.window, QString("trials_tuned_%1").arg(theme));
    }
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
    for (int i = 0; i < 2; ++i) QTest::keyClick(&plot, Qt::Key_Right);
    QTest::keyClick(&plot, Qt::Key_Down);  // the fastest tenth
    QVERIFY(view_->kept() > 0 && view_->kept() < int(view_->space().points.size()));
    QVERIFY(plot.parts().size() == 4 && plot.parts()[3].name.contains("time, from"));
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
    int time = plot.axes() - 1;
    double least = view_->space().least_ms, most = view_->space().most_ms;
    double middle = std::sqrt(least * most);
    double half = (plot.place(time, least).y() + plot.place(time, most).y()) / 2;
    QVERIFY(std::abs(plot.place(time, middle).y() - half) < 1);
    view_->show_logarithmic(false);
    QVERIFY(std::abs(plot.place(time, (least + most) / 2).y() - half) < 1);
  }

  /// Drawn are pieces that can be told apart, however many trials are behind them.
  void a_hundred_thousand_are_drawn_as_what_differs() {
    view_->show_runs(runs(100000));
    view_->grab();
    QVERIFY(view_->space().points.size() > 80000);
    int few = view_->plot().drawn_lines();
    QVERIFY2(few > 0 && few <= 3 * 4 + 3 * 2 + 4 * 201, qPrintable(QString::number(few)));
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
      name_knob(*other, "conv2d.ic.i", 1 << other->number % 5, 4);
      if (other->number % 9 == 0) other->knobs.emplace_back("conv2d.order", "oc oh ow kh");
      trial = other;
    }
    many.runs[0] = run;
    RuleValues rules{{1, {{"conv2d.ow.i", "16"}, {"conv2d.order", "kw kh oh ow"}}}};
    view_->set_theme(Theme::load(theme));
    view_->show_runs(many, rules);
    view_->choose_axis(view_->space().axis_of("conv2d.ow.i"));
    view_->show_filter(view_->with_range(0, AxisRange{0, 1, 2}));
    QApplication::processEvents();
    QVERIFY(view_->plot().axes() >= 4);
    QVERIFY2(wrong_words(view_->plot()).isEmpty(), qPrintable(wrong_words(view_->plot())));
    QVERIFY2(wrong_words(view_->slice()).isEmpty(), qPrintable(wrong_words(view_->slice())));
    keep_picture(*view_, "trials_" + theme);
  }

private:
  /// Whether the line of the fastest trial that is kept is drawn between two axes.
  bool is_strong_after(int axis, QColor const& ink) const {
    ParallelPlot& plot = view_->plot();
    TrialPoint const& best =
        view_->space()
            .points[size_t(fastest_of(view_->space(), kept_by(view_->space(), view_->filter())))];
    auto at = [&](int one) {
      bool time = size_t(one) >= best.values.size();
      return plot.place(one, time ? best.ms : best.values[size_t(one)]);
    };
    QImage seen = plot.grab().toImage();
    double pixels = plot.unit() * seen.devicePixelRatio();
    QPoint middle = ((at(axis) + at(axis + 1)) / 2 * pixels).toPoint();
    for (int y = -3; y <= 3; ++y)
      if (seen.pixelColor(middle + QPoint(0, y)) == ink) return true;
    return false;
  }

  std::unique_ptr<TrialsView> view_;
};

QTEST_MAIN(TrialsTest)
#include "trials_test.moc"
