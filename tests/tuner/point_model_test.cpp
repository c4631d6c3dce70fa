// What points are predicted to take: the target's own model at first, then its error too.
#include <QtTest>

#include <cmath>

#include "engine/tuner/model/annealing.h"
#include "engine/tuner/model/point_model.h"

using namespace tw;

namespace {

/// Two knobs of eight values each; the target's model knows of the first one only.
struct World {
  KnobFeatures features;
  std::vector<MeasuredPoint> all;

  World() {
    std::vector<std::string> values = {"1", "2", "3", "4", "5", "6", "7", "8"};
    for (int x = 0; x < 8; ++x)
      for (int y = 0; y < 8; ++y) {
        std::vector<Knob> knobs = {{"a.x", values, 0, x}, {"a.y", values, 0, y}};
        features.see(knobs);
        analysis::TimeModel modelled;
        modelled.seconds = 1e-3 * (1 + x);
        double seconds = 3 * modelled.seconds * (1 + 0.1 * std::abs(y - 5));
        all.push_back({{features.coordinates(knobs), modelled}, seconds});
      }
  }
  std::vector<SeenPoint> seen() const {
    std::vector<SeenPoint> points;
    for (MeasuredPoint const& one : all) points.push_back(one.point);
    return points;
  }
  std::vector<MeasuredPoint> every(size_t nth) const {
    std::vector<MeasuredPoint> some;
    for (size_t i = 0; i < all.size(); i += nth) some.push_back(all[i]);
    return some;
  }
  double error(std::vector<float> const& predicted) const {
    double sum = 0;
    for (size_t i = 0; i < all.size(); ++i)
      sum += std::abs(double(predicted[i]) - std::log(all[i].seconds));
    return sum / double(all.size());
  }
};

}  // namespace

class PointModelTest : public QObject {
  Q_OBJECT
private slots:
  void before_anything_was_measured_the_targets_model_speaks() {
    World world;
    std::vector<float> predicted = PointModel({}).predict(world.features, world.seen());
    for (size_t i = 0; i < predicted.size(); ++i)
      QCOMPARE(predicted[i], float(std::log(world.all[i].point.modelled->seconds)));
  }

  void it_learns_how_far_the_targets_model_is_off() {
    World world;
    PointModel with({}), without({.with_prior = false});
    QVERIFY(with.learn(world.features, world.every(3), 1));
    QVERIFY(without.learn(world.features, world.every(3), 1));
    QVERIFY(with.says_times());
    double error = world.error(with.predict(world.features, world.seen()));
    double knobs_alone = world.error(without.predict(world.features, world.seen()));
    qInfo("mean error of the logarithm %.3f, by knobs alone %.3f", error, knobs_alone);
    QVERIFY(error < 0.05);
    QVERIFY(error < knobs_alone);
  }

  void the_rank_objective_gives_an_order_and_no_times() {
    World world;
    PointModel model({.objective = Objective::kPairwiseRank});
    QVERIFY(model.learn(world.features, world.every(2), 1));
    QVERIFY(model.learned() && !model.says_times());
    std::vector<float> predicted = model.predict(world.features, world.seen());
    int right = 0, pairs = 0;
    for (size_t i = 0; i < predicted.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (std::abs(std::log(world.all[i].seconds / world.all[j].seconds)) > 0.2) {
          ++pairs;
          right += (predicted[i] < predicted[j]) == (world.all[i].seconds < world.all[j].seconds);
        }
    QVERIFY(right > pairs * 9 / 10);
  }

  void ensembles_of_resamples_say_how_sure_they_are() {
    World world;
    PointModel model({.ensembles = 5});
    QVERIFY(model.learn(world.features, world.every(5), 1));
    Predicted predicted = model.predict_surely(world.features, world.seen());
    QVERIFY(std::ranges::max(predicted.deviations) > 0);
    QVERIFY(world.error(predicted.means) < 0.1);
    PointModel one({});
    QVERIFY(one.learn(world.features, world.every(5), 1));
    for (float deviation : one.predict_surely(world.features, world.seen()).deviations)
      QCOMPARE(deviation, 0.0f);
  }

  void what_other_kernels_say_is_believed_as_far_as_it_is_right() {
    auto error = [](double says, size_t every) {  // how much of the truth is said
      World world;
      for (size_t i = 0; i < world.all.size(); ++i)
        world.all[i].point.experienced = says * std::log(1 + 0.1 * std::abs(int(i % 8) - 5));
      PointModel model({});
      if (!model.learn(world.features, world.every(every), 1)) return 1e9;
      return world.error(model.predict(world.features, world.seen()));
    };
    qInfo("from 7 trials: right %.3f, silent %.3f; from 32: wrong %.3f, silent %.3f", error(1, 9),
          error(0, 9), error(-3, 2), error(0, 2));
    QVERIFY(error(1, 9) < error(0, 9) * 0.7);
    QVERIFY(error(-3, 2) < error(0, 2) + 0.02);
    World world;
    std::vector<SeenPoint> seen = world.seen();
    for (SeenPoint& one : seen) one.experienced = 1;
    std::vector<float> before = PointModel({}).predict(world.features, seen);
    for (size_t i = 0; i < before.size(); ++i)
      QCOMPARE(before[i], float(std::log(seen[i].modelled->seconds) + 1));
  }

  void chains_find_the_best_of_what_is_predicted_and_leave_what_is_fixed() {
    World world;
    auto predict = [&](std::span<Coordinates const> points) {
      std::vector<float> values;
      for (Coordinates const& one : points)
        values.push_back(float(std::abs(one[0] - 3) + std::abs(one[1] - 6)));
      return values;
    };
    Rng rng(1);
    Annealing chains({.chains = 8});
    for (int i = 0; i < 8; ++i) chains.begin_at({0, i}, rng);
    auto found = chains.walk(world.features, predict, {}, {}, 5, rng);
    QCOMPARE(found.size(), size_t(5));
    QCOMPARE(found[0], (Coordinates{3, 6}));
    auto others = chains.walk(world.features, predict, {{3, 6}}, {}, 5, rng);
    QVERIFY(std::ranges::find(others, Coordinates{3, 6}) == others.end());
    Annealing held({.chains = 8});
    held.begin_at({0, 0}, rng);
    for (Coordinates const& one : held.walk(world.features, predict, {}, {"a.x"}, 5, rng))
      QCOMPARE(one[0], 0);
  }
};

QTEST_GUILESS_MAIN(PointModelTest)
#include "point_model_test.moc"
