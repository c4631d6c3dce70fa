// What the trials of a tuning say together, on trials whose times are made of their knobs.
#include "engine/session/views/tuning_statistics.h"

#include <QtTest>
#include <cmath>

#include "engine/support/base/random.h"

using namespace tw;
using namespace tw::session;

namespace {

using Time = std::function<double(int tile, int lanes, int noise)>;

/// 4 tiles, 3 widths, and a knob whose value is another one each time.
TuningView made_of(Time const& ms, int trials = 240) {
  auto run = std::make_shared<TuningRun>();
  Rng rng(7);
  for (int i = 0; i < trials; ++i) {
    auto trial = std::make_shared<TuningTrial>();
    int tile = int(rng.below(4)), lanes = int(rng.below(3)), noise = int(rng.below(1000));
    trial->number = i + 1;
    trial->ms = ms(tile, lanes, noise);
    trial->knobs = {{"tile", std::to_string(tile)},
                    {"lanes", std::to_string(lanes)},
                    {"single", std::to_string(i)},
                    {"same", "1"}};
    run->trials.push_back(trial);
  }
  return {{run}};
}

double share(KnobImportance const& all, std::string const& knob) {
  for (KnobShare const& one : all.knobs)
    if (one.knob == knob) return one.share;
  return -1;
}

}  // namespace

class TuningStatisticsTest : public QObject {
  Q_OBJECT
private slots:
  void a_knob_that_decides_all_explains_all() {
    KnobImportance all =
        knob_importance(made_of([](int tile, int, int) { return std::exp(double(tile)); }));
    QCOMPARE(all.trials, 240);
    QCOMPARE(all.knobs.front().knob, std::string("tile"));
    QCOMPARE(all.knobs.front().values, 4);
    QVERIFY(std::abs(share(all, "tile") - 1) < 1e-9);
    QVERIFY(share(all, "lanes") < 0.03);
  }

  void shares_follow_the_variance() {
    // Variances of a fair choice: of 0..3 it is 5/4, of 0..2 it is 2/3.
    KnobImportance all = knob_importance(
        made_of([](int tile, int lanes, int) { return std::exp(tile + 2.0 * lanes); }, 4000));
    double tile = 1.25, lanes = 4 * 2.0 / 3;
    QVERIFY(std::abs(share(all, "tile") - tile / (tile + lanes)) < 0.03);
    QVERIFY(std::abs(share(all, "lanes") - lanes / (tile + lanes)) < 0.03);
    QCOMPARE(all.knobs.front().knob, std::string("lanes"));
  }

  void chance_is_no_importance() {
    KnobImportance all =
        knob_importance(made_of([](int, int, int noise) { return 1 + noise / 1000.0; }));
    QVERIFY(share(all, "tile") < 0.05 && share(all, "lanes") < 0.05);
    QCOMPARE(share(all, "single"), 0.0);  // another value in each trial
    QCOMPARE(share(all, "same"), -1.0);   // one value: nothing to compare
  }

  void trials_without_a_time_or_a_point_do_not_count() {
    TuningView runs = made_of([](int tile, int, int) { return tile == 3 ? 0 : tile + 1.0; });
    auto run = std::make_shared<TuningRun>(*runs.runs[0]);
    auto rule = std::make_shared<TuningTrial>();
    rule->ms = 5;
    run->trials.push_back(rule);
    KnobImportance all = knob_importance({{run}});
    auto right = std::ranges::count_if(run->trials, [](auto const& one) { return one->ms > 0; });
    QCOMPARE(all.trials, int(right) - 1);
    QVERIFY(all.trials > 100);
    QCOMPARE(all.knobs.front().values, 3);
    QCOMPARE(knob_importance({}).trials, 0);
    QVERIFY(knob_importance({}).knobs.empty());
  }

  void predictions_are_judged_by_their_order() {
    TuningView runs = made_of([](int tile, int lanes, int) { return 1.0 + tile + 4 * lanes; }, 60);
    QCOMPARE(prediction_quality(runs).trials, 0);
    for (double sign : {1.0, -1.0}) {
      auto run = std::make_shared<TuningRun>(*runs.runs[0]);
      for (size_t i = 0; i + 10 < run->trials.size(); ++i) {
        auto trial = std::make_shared<TuningTrial>(*run->trials[i]);
        trial->predicted_ms = std::exp(sign * trial->ms / 4);
        run->trials[i] = trial;
      }
      PredictionQuality quality = prediction_quality({{run}});
      QCOMPARE(quality.trials, 50);
      QVERIFY(std::abs(quality.tau - sign) < 1e-9);
    }
  }
};

QTEST_GUILESS_MAIN(TuningStatisticsTest)
#include "tuning_statistics_test.moc"
