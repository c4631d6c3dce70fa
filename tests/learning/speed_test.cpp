// How many rows a second the trees predict, and how long a refit takes: processor time of one
// thread, so that others who run do not count.
#include <QtTest>
#include <ctime>
#include <fstream>

#include "engine/learning/training/train_trees.h"
#include "tests/learning/synthetic.h"
#include "tests/support/figures.h"
#include "tests/support/sanitized.h"

using namespace tw;

namespace {

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

std::string processor_name() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

template <typename Work>
double least_seconds(int times, Work work) {
  double least = 1e9;
  for (int i = 0; i < times; ++i) {
    double before = processor_seconds();
    work();
    least = std::min(least, processor_seconds() - before);
  }
  return least;
}

TreeEnsemble full_trees(int depth, int count, size_t width) {
  Rng rng(9);
  std::vector<CompleteTree> trees(size_t(count), CompleteTree{.depth = depth});
  for (CompleteTree& tree : trees) {
    for (int i = 0; i + 1 < 1 << depth; ++i)
      tree.splits.push_back({uint32_t(rng.below(int64_t(width))), float(rng.uniform()), false});
    for (int i = 0; i < 1 << depth; ++i) tree.leaves.push_back(float(rng.normal()));
  }
  return TreeEnsemble::create(width, 0, trees).value();
}

}  // namespace

class LearningSpeedTest : public QObject {
  Q_OBJECT
private slots:
  void rows_are_predicted_by_the_million() {
    TrainingRows rows = testing::hill_rows(16384, 128, 1);
    std::vector<float> predictions(rows.rows());
    for (int depth : {3, 6})
      for (int count : {50, 200}) {
        TreeEnsemble trees = full_trees(depth, count, 128);
        double seconds = least_seconds(7, [&] { trees.predict(rows.table(), predictions); });
        double per_second = double(rows.rows()) / seconds;
        qInfo("%3d trees of depth %d: %.2f million rows of 128 features a second (%s)", count,
              depth, per_second / 1e6, processor_name().c_str());
        // A tenth of the goal for the smallest: slow machines pass, a lost optimization does not.
        if (!testing::kSanitized) QVERIFY(per_second > 1e5 * 150 / (depth * count));
      }
  }

  void a_refit_takes_a_moment() {
    TrainingRows rows = testing::hill_rows(1024, 128, 2);
    for (Objective objective : {Objective::kPairwiseRank, Objective::kRegression}) {
      TrainOptions options{.objective = objective, .rounds = 50, .patience = 0};
      double seconds = least_seconds(3, [&] { QVERIFY(train_trees(rows, options)); });
      qInfo("50 rounds on 1024 rows of 128 features: %.0f ms (%s)", seconds * 1e3,
            processor_name().c_str());
      QVERIFY(testing::is_bearable("a refit on 1024 rows", seconds * 1e3, 2000));
    }
  }
};

QTEST_APPLESS_MAIN(LearningSpeedTest)
#include "speed_test.moc"
