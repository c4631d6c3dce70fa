// Trials as points: knobs that differ are axes, numbers stand by their size, ranges keep points.
#include <QtTest>

#include "engine/session/views/trial_space.h"

using namespace tw::session;

namespace {

TuningView view_of(std::vector<std::tuple<double, std::string, std::string>> const& trials) {
  auto run = std::make_shared<TuningRun>();
  run->number = 3;
  for (auto const& [ms, factor, order] : trials) {
    auto trial = std::make_shared<TuningTrial>();
    trial->number = int(run->trials.size()) + 1;
    trial->ms = ms;
    trial->knobs = {{"C.i.factor", factor}, {"C.same", "1"}};
    if (!order.empty()) trial->knobs.emplace_back("C.order", order);
    run->trials.push_back(trial);
  }
  return TuningView{.runs = {run}, .model = {}, .ablation = {}};
}

}  // namespace

class TrialSpaceTest : public QObject {
  Q_OBJECT
private slots:
  void knobs_that_differ_are_axes() {
    TrialSpace space =
        trial_space(view_of({{4, "16", "ij"}, {2, "8", "ji"}, {0, "128", "ij"}, {3, "2", ""}}));
    QCOMPARE(space.axes.size(), size_t(2));
    TrialAxis const& factor = space.axes[size_t(space.axis_of("C.i.factor"))];
    QCOMPARE(factor.values, (std::vector<std::string>{"2", "8", "16", "128"}));
    QCOMPARE(space.axis_of("C.same"), -1);
    QCOMPARE(space.points.size(), size_t(3));  // one has no time
    QCOMPARE(space.points[0].run, 3);
    QCOMPARE(space.points[2].trial, 4);
    QCOMPARE(space.points[2].values[size_t(space.axis_of("C.order"))], -1);
    QCOMPARE(space.least_ms, 2.0);
    QCOMPARE(space.most_ms, 4.0);
  }

  void ranges_and_the_fastest_part_keep_points() {
    TrialSpace space =
        trial_space(view_of({{4, "1", "ij"}, {2, "2", "ji"}, {1, "4", "ij"}, {3, "8", "ij"}}));
    int factor = space.axis_of("C.i.factor");
    QCOMPARE(kept_by(space, {}), (std::vector<char>{1, 1, 1, 1}));
    QCOMPARE(kept_by(space, {{{factor, 1, 2}}, 1}), (std::vector<char>{0, 1, 1, 0}));
    QCOMPARE(kept_by(space, {{{int(space.axes.size()), 1.5, 3}}, 1}),
             (std::vector<char>{0, 1, 0, 1}));
    QCOMPARE(kept_by(space, {{}, 0.5}), (std::vector<char>{0, 1, 1, 0}));
    std::vector<char> kept = kept_by(space, {{{factor, 3, 3}}, 1});
    QCOMPARE(fastest_of(space, kept), 3);
    QCOMPARE(fastest_of(space, std::vector<char>(4, 0)), -1);
    QCOMPARE(fastest_of(space, kept_by(space, {})), 2);
  }

  void nothing_is_no_space() {
    TrialSpace space = trial_space({});
    QVERIFY(space.axes.empty() && space.points.empty());
    QVERIFY(kept_by(space, {{}, 0.01}).empty());
  }
};

QTEST_GUILESS_MAIN(TrialSpaceTest)
#include "trial_space_test.moc"
