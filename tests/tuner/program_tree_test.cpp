// A program as a tree of numbers: which loops stand where, and what a network learns of them.
#include <QtTest>

#include <cmath>

#include "engine/ir/text.h"
#include "engine/learning/quality.h"
#include "engine/schedule/trace.h"
#include "engine/tuner/features/loop_features.h"
#include "engine/tuner/features/program_tree.h"
#include "engine/tuner/model/point_model.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;
using namespace tw::testing;

namespace {

/// Wide vectors and unrolled loops are good.
double made_up_seconds(ir::Program const& program) {
  double seconds = 1e-3;
  for (LoopContext const& loop : loop_nest(program).loops)
    if (loop.kind == ir::LoopKind::kVector || loop.kind == ir::LoopKind::kUnroll)
      seconds /= 1 + std::log2(loop.length);
  return seconds;
}

/// Points of a space by chance, as the model sees them.
std::vector<MeasuredPoint> points_by_chance(KnobFeatures& features, size_t count, uint64_t seed) {
  Space space = space_of(kProduct);
  Rng rng(seed);
  std::vector<MeasuredPoint> points;
  while (points.size() < count) {
    Candidate candidate = space.random(rng).value();
    if (candidate.rejection) continue;
    features.see(candidate.knobs);
    MeasuredPoint point{{features.coordinates(candidate.knobs), std::nullopt},
                        made_up_seconds(candidate.schedule.program())};
    point.point.program =
        std::make_shared<FeatureTree const>(program_tree(candidate.schedule.program()).value());
    points.push_back(std::move(point));
  }
  return points;
}

double tau_of(PointModel const& model, KnobFeatures const& features,
              std::vector<MeasuredPoint> const& points) {
  std::vector<SeenPoint> seen;
  std::vector<float> truth;
  for (MeasuredPoint const& one : points)
    seen.push_back(one.point), truth.push_back(float(one.seconds));
  return kendall_tau(model.predict(features, seen), truth);
}

}  // namespace

class ProgramTreeTest : public QObject {
  Q_OBJECT
private slots:
  /// C[96, 80] += A[96, 64] * B[64, 80]: the program, loops i, j, k and the block in them.
  void a_nest_is_a_chain_that_ends_in_its_block() {
    FeatureTree tree = program_tree(te::to_program(kernel_of(kProduct)).value()).value();
    QCOMPARE(tree.nodes(), size_t(5));
    QCOMPARE(tree.width(), program_tree_width());
    for (int32_t node = 0; node < 5; ++node) QCOMPARE(tree.parent(size_t(node)), node - 1);
    auto log2 = [](double x) { return float(std::log2(x + 1)); };
    QCOMPARE(tree.row(1)[0], log2(96));
    QCOMPARE(tree.row(2)[1], log2(96));
    QCOMPARE(tree.row(2)[2], log2(80 * 64));
    QCOMPARE(tree.row(4)[1], log2(96 * 80 * 64));
  }

  void what_shares_loops_stands_below_them_in_the_programs_order() {
    ir::Program program = te::to_program(kernel_of("tilewright te 1\n"
                                                   "kernel two(X: f32[20, 30]) -> Y\n"
                                                   "  T[i in 20, j in 30] = X[i, j] * 2.0\n"
                                                   "  Y[i in 20, j in 30] = T[i, j] + 1.0\n"))
                              .value();
    FeatureTree apart = program_tree(program).value();
    QCOMPARE(apart.nodes(), size_t(7));
    QCOMPARE(apart.parent(4), 0);  // a nest of its own
    auto moved = Schedule(program).apply(parse_step("compute_at(T, Y.i)").value());
    QVERIFY2(moved.has_value(), moved ? "" : moved.error().message.c_str());
    FeatureTree together = program_tree(moved->program()).value();
    QCOMPARE(together.nodes(), size_t(6));
    std::vector<int32_t> parents;
    for (size_t node = 0; node < together.nodes(); ++node) parents.push_back(together.parent(node));
    QCOMPARE(parents, (std::vector<int32_t>{-1, 0, 1, 2, 1, 4}));
  }

  void the_whole_has_what_the_targets_model_says_of_it() {
    ir::Program program = te::to_program(kernel_of(kProduct)).value();
    analysis::TimeModel modelled{.seconds = 4e-3, .arithmetic_seconds = 1e-3};
    FeatureTree with = program_tree(program, modelled).value();
    FeatureTree without = program_tree(program).value();
    QVERIFY(!(with == without));
    QVERIFY(std::ranges::count(with.row(0), -2.0F) == 1);  // a quarter of the time
    modelled = {.seconds = 8e-3, .arithmetic_seconds = 2e-3};
    QVERIFY(program_tree(program, modelled).value() == with);  // however long it takes
  }

  void a_network_in_the_point_model_orders_what_it_has_not_seen() {
    KnobFeatures features;
    std::vector<MeasuredPoint> seen = points_by_chance(features, 120, 1);
    std::vector<MeasuredPoint> other = points_by_chance(features, 120, 2);
    PointModelOptions options{
        .kind = ModelKind::kTreeGru, .objective = Objective::kPairwiseRank, .with_prior = false};
    PointModel model(options);
    QCOMPARE(tau_of(model, features, other), 0.0);
    QVERIFY(model.learn(features, std::span(seen).first(60), 1));
    double first = tau_of(model, features, other);
    QVERIFY(model.learn(features, seen, 2));
    double second = tau_of(model, features, other);
    qInfo("tau %.3f from 60 points, %.3f going on with 120", first, second);
    QVERIFY(first > 0.5 && second > 0.6);
    options.objective = Objective::kRegression;
    PointModel times(options);
    QVERIFY(times.learn(features, seen, 1) && times.says_times());
    QVERIFY(tau_of(times, features, other) > 0.5);
    // What it learned, another one begins with.
    TreeRows rows;
    for (MeasuredPoint const& one : seen) {
      rows.trees.push_back(one.point.program.get());
      rows.targets.push_back(float(-std::log(one.seconds)));
    }
    options.objective = Objective::kPairwiseRank;
    options.taught =
        std::make_shared<TreeGru const>(train_tree_gru(rows, {.seed = 1}).value().model);
    QVERIFY(tau_of(PointModel(options), features, other) > 0.5);
  }

  void a_point_without_a_program_is_predicted_like_the_mean() {
    KnobFeatures features;
    std::vector<MeasuredPoint> seen = points_by_chance(features, 30, 1);
    PointModel model({.kind = ModelKind::kTreeGru, .with_prior = false});
    QVERIFY(model.learn(features, seen, 1));
    double mean = 0;
    for (MeasuredPoint const& one : seen) mean += std::log(one.seconds) / double(seen.size());
    SeenPoint bare = seen[0].point;
    bare.program = nullptr;
    SeenPoint both[] = {bare, seen[1].point};
    std::vector<float> predicted = model.predict(features, both);
    QVERIFY(std::abs(double(predicted[0]) - mean) < 1e-5);
    QVERIFY(predicted[1] != predicted[0]);
  }

  void models_have_names() {
    for (ModelKind kind : {ModelKind::kTrees, ModelKind::kTreeGru})
      QVERIFY(find_model_kind(name_of(kind)).value() == kind);
    auto unknown = find_model_kind("forest");
    QCOMPARE(unknown.error().code, std::string("unknown_model_kind"));
    QVERIFY(unknown.error().message.find("trees, tree-gru") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(ProgramTreeTest)
#include "program_tree_test.moc"
