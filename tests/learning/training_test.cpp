// Training: what is learned, where it begins, and when it ends.
#include "engine/learning/training/train_trees.h"

#include <QtTest>
#include <chrono>
#include <numeric>
#include <thread>

#include "engine/learning/quality.h"
#include "tests/learning/synthetic.h"

using namespace tw;
using tw::testing::hill_rows;

namespace {

constexpr size_t kWidth = 16;

TrainedTrees trained(TrainingRows const& rows, TrainOptions const& options = {},
                     TreeEnsemble const* previous = nullptr) {
  auto found = train_trees(rows, options, {}, previous);
  if (!found) qFatal("%s", found.error().message.c_str());
  return std::move(*found);
}

/// Kendall's tau on rows that the trees have not seen.
double tau(TreeEnsemble const& trees) {
  TrainingRows unseen = hill_rows(2000, trees.width(), 1234);
  return kendall_tau(trees.predict(unseen.table()), unseen.targets);
}

double mean_square_error(TreeEnsemble const& trees, TrainingRows const& rows) {
  std::vector<float> predicted = trees.predict(rows.table());
  double sum = 0;
  for (size_t i = 0; i < rows.rows(); ++i) {
    double so_far = rows.prediction_so_far.empty() ? 0 : double(rows.prediction_so_far[i]);
    sum += std::pow(double(predicted[i]) + so_far - double(rows.targets[i]), 2);
  }
  return sum / double(rows.rows());
}

TrainOptions fixed_rounds(Objective objective, int rounds) {
  return {.objective = objective, .rounds = rounds, .patience = 0};
}

bool asks_for(TreeEnsemble const& trees, uint32_t feature) {
  for (size_t i = 0; i < trees.size(); ++i)
    for (TreeSplit const& split : trees.tree(i).splits)
      if (split.feature == feature && split.threshold != 0) return true;
  return false;
}

}  // namespace

class TrainingTest : public QObject {
  Q_OBJECT
private slots:
  void the_order_of_unseen_rows_is_learned() {
    for (Objective objective : {Objective::kPairwiseRank, Objective::kRegression}) {
      double few = tau(trained(hill_rows(64, kWidth, 1), {.objective = objective}).trees);
      double many = tau(trained(hill_rows(1024, kWidth, 1), {.objective = objective}).trees);
      qInfo("tau after 64 rows %.3f, after 1024 %.3f", few, many);
      QVERIFY(few > 0.5 && many > 0.85);
    }
  }

  void more_pairs_of_a_row_teach_more_when_there_are_few_rows() {
    double one = 0, sixteen = 0;
    for (uint64_t seed = 0; seed < 5; ++seed) {
      TrainingRows rows = hill_rows(64, 64, seed);
      one += tau(trained(rows, {.pairs_per_row = 1}).trees) / 5;
      sixteen += tau(trained(rows, {.pairs_per_row = 16}).trees) / 5;
    }
    qInfo("tau with one pair %.3f, with sixteen %.3f", one, sixteen);
    QVERIFY(sixteen > one + 0.1);
  }

  void regression_learns_the_values() {
    TrainingRows rows = hill_rows(1024, kWidth, 2), unseen = hill_rows(1000, kWidth, 3);
    for (float& target : rows.targets) target += 100;
    for (float& target : unseen.targets) target += 100;
    auto made = trained(rows, fixed_rounds(Objective::kRegression, 100));
    double unlearned = mean_square_error(TreeEnsemble(kWidth, made.trees.bias()), unseen);
    QVERIFY(mean_square_error(made.trees, unseen) < 0.1 * unlearned);
  }

  void the_same_rows_and_options_make_the_same_trees() {
    TrainingRows rows = hill_rows(300, kWidth, 4, 0.1);
    for (Objective objective : {Objective::kPairwiseRank, Objective::kRegression})
      for (int threads : {1, 2})
        for (int bins : {0, 64}) {
          TrainOptions options{.objective = objective, .bins = bins, .rounds = 30, .seed = 5};
          options.row_share = objective == Objective::kPairwiseRank ? 1 : 0.7;
          options.threads = threads;
          TreeEnsemble first = trained(rows, options).trees;
          QVERIFY(trained(rows, options).trees == first);
          options.seed = 6;
          QVERIFY(!(trained(rows, options).trees == first));
        }
  }

  void threads_of_the_caller_may_train_at_once() {
    TrainingRows rows = hill_rows(200, kWidth, 5);
    TreeEnsemble alone = trained(rows).trees;
    std::vector<TreeEnsemble> found(4);
    {
      std::vector<std::jthread> threads;
      for (TreeEnsemble& trees : found) threads.emplace_back([&] { trees = trained(rows).trees; });
    }
    for (TreeEnsemble const& trees : found) QVERIFY(trees == alone);
  }

  void rank_compares_only_rows_of_one_group() {
    // Feature 5 says which task a row is of, and the tasks' targets are far apart.
    TrainingRows rows = hill_rows(400, kWidth, 6);
    for (size_t i = 0; i < rows.rows(); ++i) {
      auto task = int32_t(i % 2);
      rows.features[i * kWidth + 5] = float(task) + 1;
      rows.targets[i] += float(100 * task);
      rows.groups.push_back(7 - task);
    }
    TrainOptions stumps = fixed_rounds(Objective::kPairwiseRank, 20);
    stumps.depth = 1;
    QVERIFY(!asks_for(trained(rows, stumps).trees, 5));
    rows.groups.clear();
    QVERIFY(asks_for(trained(rows, stumps).trees, 5));
  }

  void rows_of_more_weight_say_more() {
    TrainingRows rows = hill_rows(400, kWidth, 7);
    for (size_t i = 0; i < rows.rows(); ++i) {
      bool reversed = i % 2;
      if (reversed) rows.targets[i] = -rows.targets[i];
      rows.weights.push_back(reversed ? 0.001f : 1.0f);
      rows.groups.push_back(reversed);
    }
    for (Objective objective : {Objective::kPairwiseRank, Objective::kRegression}) {
      QVERIFY(tau(trained(rows, fixed_rounds(objective, 50)).trees) > 0.6);
      TrainingRows other = rows;
      std::ranges::reverse(other.weights);
      QVERIFY(tau(trained(other, fixed_rounds(objective, 50)).trees) < -0.6);
    }
  }

  void a_warm_start_goes_on_from_the_earlier_trees() {
    TrainingRows rows = hill_rows(500, kWidth, 8);
    for (Objective objective : {Objective::kPairwiseRank, Objective::kRegression}) {
      auto first = trained(rows, fixed_rounds(objective, 10));
      auto both = trained(rows, fixed_rounds(objective, 15), &first.trees);
      QCOMPARE(both.rounds, 15);
      QCOMPARE(both.trees.size(), size_t(25));
      for (size_t i = 0; i < 10; ++i) QVERIFY(both.trees.tree(i) == first.trees.tree(i));
      QVERIFY(tau(both.trees) > tau(first.trees));
    }
  }

  void a_warm_start_is_as_good_as_one_training() {
    TrainingRows rows = hill_rows(500, kWidth, 9);
    auto at_once = trained(rows, fixed_rounds(Objective::kRegression, 30));
    auto first = trained(rows, fixed_rounds(Objective::kRegression, 10));
    auto both = trained(rows, fixed_rounds(Objective::kRegression, 20), &first.trees);
    std::vector<float> one = at_once.trees.predict(rows.table());
    std::vector<float> two = both.trees.predict(rows.table());
    for (size_t i = 0; i < one.size(); ++i)
      QVERIFY(std::fabs(double(one[i]) - double(two[i])) < 1e-4);
  }

  void the_trees_learn_what_the_prediction_so_far_lacks() {
    TrainingRows rows = hill_rows(500, kWidth, 10);
    TreeEnsemble prior = trained(rows, fixed_rounds(Objective::kRegression, 5)).trees;
    rows.prediction_so_far = prior.predict(rows.table());
    for (Objective objective : {Objective::kPairwiseRank, Objective::kRegression}) {
      TreeEnsemble rest = trained(rows, fixed_rounds(objective, 40)).trees;
      TrainingRows unseen = hill_rows(1000, kWidth, 11);
      std::vector<float> alone = prior.predict(unseen.table()), sum = alone;
      std::vector<float> more = rest.predict(unseen.table());
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
      QVERIFY(kendall_tau(sum, unseen.targets) > kendall_tau(alone, unseen.targets) + 0.05);
    }
    rows.prediction_so_far = rows.targets;
    for (float left :
         trained(rows, {.objective = Objective::kRegression}).trees.predict(rows.table()))
      QVERIFY(std::fabs(left) < 1e-6f);
  }

  void a_missing_value_says_something_too() {
    TrainingRows rows = hill_rows(500, kWidth, 12, 0.3);
    TreeEnsemble trees = trained(rows).trees;
    QVERIFY(kendall_tau(trees.predict(rows.table()), rows.targets) > 0.6);
    for (size_t i = 0; i < rows.rows(); ++i)
      rows.targets[i] = std::isnan(rows.features[i * kWidth]) ? 3.0f : 1.0f;
    auto made = trained(rows, fixed_rounds(Objective::kRegression, 60));
    QVERIFY(mean_square_error(made.trees, rows) < 1e-6);
  }

  void one_row_and_rows_that_are_all_the_same_are_learned_as_they_are() {
    for (size_t count : {1, 50}) {
      TrainingRows rows = hill_rows(count, kWidth, 13);
      std::ranges::fill(rows.targets, 2.5f);
      for (float found :
           trained(rows, {.objective = Objective::kRegression}).trees.predict(rows.table()))
        QCOMPARE(found, 2.5f);
      TreeEnsemble ranked = trained(rows).trees;
      for (float found : ranked.predict(rows.table())) QCOMPARE(found, 0.0f);
    }
    TrainingRows rows = hill_rows(50, kWidth, 14);
    std::ranges::fill(rows.features, 1.0f);
    for (Objective objective : {Objective::kPairwiseRank, Objective::kRegression}) {
      std::vector<float> found =
          trained(rows, {.objective = objective}).trees.predict(rows.table());
      QCOMPARE(std::ranges::min(found), std::ranges::max(found));
    }
  }

  void it_ends_when_the_recall_is_no_longer_better_and_keeps_the_best() {
    TrainingRows rows = hill_rows(300, kWidth, 15);
    auto made = trained(rows, {.rounds = 5000, .patience = 7, .recall_at = 16});
    QVERIFY(made.converged && made.rounds < 5000);
    QCOMPARE(made.trees.size(), size_t(made.rounds - 7));
    std::vector<float> predicted = made.trees.predict(rows.table());
    QCOMPARE(average_recall(predicted, rows.targets, 16), made.average_recall);
    auto all = trained(rows, {.rounds = 30, .patience = 0});
    QVERIFY(!all.converged);
    QCOMPARE(all.trees.size(), size_t(30));
    QCOMPARE(trained(rows, {.rounds = 0}).trees.size(), size_t(0));
  }

  void a_stop_ends_it_between_rounds() {
    TrainingRows rows = hill_rows(300, kWidth, 16);
    TrainOptions endless = fixed_rounds(Objective::kRegression, 100'000'000);
    std::stop_source stop;
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      stop.request_stop();
    });
    auto found = train_trees(rows, endless, stop.get_token());
    QVERIFY(!found && found.error().code == "cancelled");
    found = train_trees(rows, endless, stop.get_token());  // stopped before it begins
    QVERIFY(!found && found.error().message == "the training was cancelled");
    QVERIFY(!train_bootstrap(rows, endless, 3, stop.get_token()));
  }

  void a_bootstrap_is_less_sure_where_it_saw_fewer_rows() {
    TrainingRows unseen = hill_rows(500, kWidth, 17);
    std::vector<double> mean_deviation;
    for (size_t count : {64, 2048}) {
      TrainingRows rows = hill_rows(count, kWidth, 18);
      TrainOptions options = fixed_rounds(Objective::kRegression, 40);
      Bootstrap made = train_bootstrap(rows, options, 5).value();
      QCOMPARE(made.ensembles.size(), size_t(5));
      QVERIFY(!(made.ensembles[0] == made.ensembles[1]));
      QVERIFY(train_bootstrap(rows, options, 5)->ensembles == made.ensembles);
      Uncertain found = made.predict(unseen.table());
      QVERIFY(kendall_tau(found.means, unseen.targets) > 0.6);
      mean_deviation.push_back(
          std::accumulate(found.deviations.begin(), found.deviations.end(), 0.0) / 500);
    }
    QVERIFY(mean_deviation[1] > 0);
    QVERIFY(mean_deviation[0] > 1.5 * mean_deviation[1]);
  }

  void a_bootstrap_draws_within_groups() {
    TrainingRows rows = hill_rows(60, kWidth, 19);
    for (size_t i = 0; i < rows.rows(); ++i) rows.groups.push_back(int32_t(i));
    // A group of one row is always that row: every resample is the same.
    Bootstrap made = train_bootstrap(rows, fixed_rounds(Objective::kRegression, 5), 2).value();
    QVERIFY(made.ensembles[0] == made.ensembles[1]);
  }

  void rows_that_nothing_can_be_learned_from_are_a_sentence_data() {
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<int>("mistake");
    char const* const sentences[] = {
        "there are no rows to learn from",
        "the rows to learn from have no features",
        "63 features are not 4 rows of 16",
        "there are 3 weights where 4 are needed, one for each row",
        "there are 1 groups where 4 are needed, one for each row",
        "there are 5 predictions so far where 4 are needed, one for each row",
        "feature 3 of row 1 is infinite",
        "the target of row 2 is nan, nothing can be learned from that",
        "the weight of row 0 is -1, nothing can be learned from that",
        "the prediction so far of row 3 is inf, nothing can be learned from that",
        "every row has a weight of 0, there is nothing to learn from"};
    for (int i = 0; char const* sentence : sentences) QTest::newRow(sentence) << sentence << i++;
  }
  void rows_that_nothing_can_be_learned_from_are_a_sentence() {
    QFETCH(QString, sentence);
    QFETCH(int, mistake);
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    TrainingRows rows = hill_rows(4, kWidth, 20);
    if (mistake == 0) rows = {.features = {}, .width = kWidth};
    if (mistake == 1) rows.width = 0;
    if (mistake == 2) rows.features.pop_back();
    if (mistake == 3) rows.weights = {1, 1, 1};
    if (mistake == 4) rows.groups = {1};
    if (mistake == 5) rows.prediction_so_far = {1, 2, 3, 4, 5};
    if (mistake == 6) rows.features[kWidth + 3] = kInfinite;
    if (mistake == 7) rows.targets[2] = std::numeric_limits<float>::quiet_NaN();
    if (mistake == 8) rows.weights = {-1, 1, 1, 1};
    if (mistake == 9) rows.prediction_so_far = {0, 0, 0, kInfinite};
    if (mistake == 10) rows.weights = {0, 0, 0, 0};
    auto found = train_trees(rows, {});
    QVERIFY(!found);
    QCOMPARE(QString::fromStdString(found.error().message), sentence);
    QVERIFY(!train_bootstrap(rows, {}, 3));
  }

  void options_that_make_no_sense_are_a_sentence() {
    TrainingRows rows = hill_rows(4, kWidth, 21);
    auto message = [&](auto change) {
      TrainOptions options;
      change(options);
      auto found = train_trees(rows, options);
      return found ? std::string() : found.error().message;
    };
    using Options = TrainOptions&;
    QCOMPARE(message([](Options) {}), std::string());
    QCOMPARE(message([](Options o) { o.depth = 11; }), "trees can be 1 to 10 deep, not 11");
    QVERIFY(!message([](Options o) { o.depth = 0; }).empty());
    QVERIFY(!message([](Options o) { o.learning_rate = 0; }).empty());
    QVERIFY(!message([](Options o) { o.learning_rate = std::nan(""); }).empty());
    QVERIFY(!message([](Options o) { o.row_share = 1.5; }).empty());
    QVERIFY(!message([](Options o) { o.least_gain = -1; }).empty());
    QVERIFY(!message([](Options o) { o.rounds = -1; }).empty());
    QVERIFY(!message([](Options o) { o.pairs_per_row = 0; }).empty());
    QVERIFY(!message([](Options o) { o.bins = 1; }).empty());
    QVERIFY(!message([](Options o) { o.threads = 0; }).empty());
    QCOMPARE(train_bootstrap(rows, {}, 0).error().message,
             "a bootstrap has 1 ensemble or more, not 0");
    TreeEnsemble narrow(3);
    QCOMPARE(train_trees(rows, {}, {}, &narrow).error().message,
             "the previous trees are for rows of 3 features, these have 16");
  }

  void targets_of_any_size_are_learned_or_refused_with_a_sentence() {
    TrainingRows rows = hill_rows(40, kWidth, 22);
    for (float& target : rows.targets) target *= 1e38f;
    for (Objective objective : {Objective::kPairwiseRank, Objective::kRegression})
      if (auto found = train_trees(rows, {.objective = objective}); found)
        for (float prediction : found->trees.predict(rows.table()))
          QVERIFY(std::isfinite(prediction));
      else
        QVERIFY(!found.error().message.empty());
  }
};

QTEST_APPLESS_MAIN(TrainingTest)
#include "training_test.moc"
