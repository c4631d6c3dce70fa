// What a store of other kernels' trials teaches: who counts, and that it helps where it is right.
#include <QtTest>

#include <QTemporaryDir>
#include <cmath>

#include "engine/ir/text.h"
#include "engine/tuner/past_trials.h"
#include "engine/tuner/search/learned.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;
using namespace tw::testing;

namespace {

constexpr char kNear[] =
    "tilewright te 1\n"
    "kernel near(A: f32[96, 128], B: f32[128, 80]) -> C\n"
    "  C[i in 96, j in 80] = sum[k in 128] A[i, k] * B[k, j]\n";
constexpr char kFar[] =
    "tilewright te 1\n"
    "kernel far(A: f32[48, 32], B: f32[32, 640]) -> C\n"
    "  C[i in 48, j in 640] = sum[k in 32] A[i, k] * B[k, j]\n";

/// A time that loops explain, whatever knobs made them: long innermost loops and wide vectors are
/// good.
double made_up_seconds(Candidate const& candidate) {
  LoopNest nest = loop_nest(candidate.schedule.program());
  double seconds = 1e-3;
  for (LoopContext const& loop : nest.loops)
    if (loop.kind == ir::LoopKind::kVector || loop.kind == ir::LoopKind::kUnroll)
      seconds *= 1 / (1 + std::log2(loop.length));
  return seconds;
}

records::Trial like_of(uint64_t task) {
  records::Trial trial;
  trial.task = task;
  trial.task_name = std::to_string(task);
  trial.target = "cpu";
  trial.device = "local";
  trial.machine = "this";
  return trial;
}

class Store {
public:
  Store() : store_(records::open_store(folder_.filePath("trials.sqlite").toStdString()).value()) {}
  records::TrialStore& operator*() { return *store_; }
  void add(char const* kernel, records::Trial like, int count) {
    Space space = space_of(kernel);
    like.program = ir::to_text(space.program());
    like.outcome = records::Outcome::kOk;
    Rng rng(1);
    for (int i = 0; i < count;) {
      Candidate candidate = space.random(rng).value();
      if (candidate.rejection) continue;
      like.knobs = candidate.point;
      like.trace = candidate.schedule.script();
      like.samples = {made_up_seconds(candidate)};
      if (!store_->append({&like, 1})) qFatal("the store takes no trial");
      ++i;
    }
  }

private:
  QTemporaryDir folder_;
  std::unique_ptr<records::TrialStore> store_;
};

}  // namespace

class PastTrialsTest : public QObject {
  Q_OBJECT
private slots:
  void who_is_of_another_kind_or_machine_teaches_nothing() {
    Store store;
    store.add(kWindow, like_of(1), 4);
    records::Trial elsewhere = like_of(2);
    elsewhere.machine = "another";
    store.add(kNear, elsewhere, 4);
    store.add(kProduct, like_of(3), 4);  // the task itself
    QVERIFY(experience_from(*store, like_of(3), space_of(kProduct)).value() == nullptr);
    store.add(kNear, like_of(4), 4);
    QVERIFY(experience_from(*store, like_of(3), space_of(kProduct)).value() != nullptr);
  }

  void the_nearest_shapes_points_come_first() {
    Store store;
    store.add(kFar, like_of(1), 12);
    store.add(kNear, like_of(2), 12);
    auto of_near =
        (*store).find({.task = 2, .order = records::Order::kFastest, .limit = 1}).value();
    auto experience =
        experience_from(*store, like_of(3), space_of(kProduct), {.most_tasks = 1}).value();
    QCOMPARE(experience->first(), (std::vector<Point>{of_near[0].trial.knobs}));
  }

  void what_was_learned_orders_the_points_of_another_shape() {
    Store store;
    store.add(kNear, like_of(1), 40);
    store.add(kFar, like_of(2), 40);
    Space space = space_of(kProduct);
    auto experience = experience_from(*store, like_of(3), space).value();
    Rng rng(7);
    int right = 0, pairs = 0;
    std::vector<std::pair<double, double>> points;  // predicted, made up
    for (int i = 0; i < 60; ++i) {
      Candidate candidate = space.random(rng).value();
      if (candidate.rejection) continue;
      LoopNest nest = loop_nest(candidate.schedule.program());
      points.emplace_back(experience->predict(candidate.knobs, nest, {}),
                          std::log(made_up_seconds(candidate)));
    }
    for (auto const& one : points)
      for (auto const& other : points)
        if (one.second < other.second - 0.1) {
          ++pairs;
          right += one.first < other.first;
        }
    qInfo("%d of %d pairs in the right order", right, pairs);
    QVERIFY(pairs > 100 && right > pairs * 7 / 10);
  }

  /// The schedule by rule stays the first, and a search with experience is no later at the best.
  void a_search_with_experience_is_no_worse() {
    Store store;
    store.add(kNear, like_of(1), 40);
    Space space = space_of(kProduct);
    // The points alone, or what was learned, too.
    auto points = experience_from(*store, like_of(3), space, {.most_trials = 8}).value();
    auto experience = experience_from(*store, like_of(3), space, {.most_trials = 40}).value();
    auto best_after = [&](LearnedOptions const& options, int trials, uint64_t seed) {
      auto search = make_learned_search(space, seed, options);
      double best = 1;
      for (int i = 0; i < trials; ++i) {
        auto candidate = search->next().value();
        if (!candidate) break;
        if (i == 0 && !candidate->point.empty()) return 1.0;  // it must be the rule
        double seconds = made_up_seconds(*candidate);
        search->tell(*candidate, seconds);
        best = std::min(best, seconds);
      }
      return best;
    };
    double with = 0, with_points = 0, without = 0;
    constexpr int kSeeds = 20;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      with += std::log(best_after({.experience = experience}, 24, seed));
      with_points += std::log(best_after({.experience = points}, 24, seed));
      without += std::log(best_after({}, 24, seed));
    }
    qInfo("after 24 trials: with experience %.3f of the time without, with its points alone %.3f",
          std::exp((with - without) / kSeeds), std::exp((with_points - without) / kSeeds));
    QVERIFY(with <= without + kSeeds * 0.02);
    QVERIFY(with_points <= without + kSeeds * 0.02);
  }
};

QTEST_GUILESS_MAIN(PastTrialsTest)
#include "past_trials_test.moc"
