// The recursive network: its gradient against differences, and what it can learn of trees.
#include <QtTest>

#include <cmath>
#include <limits>
#include <stop_token>

#include "engine/learning/quality.h"
#include "engine/learning/tree_gru/gru_loss.h"
#include "engine/learning/tree_gru/gru_network.h"
#include "engine/learning/tree_gru/train_tree_gru.h"
#include "engine/support/base/random.h"

using namespace tw;

namespace {

constexpr size_t kWidth = 3;

/// Of 1 to `most` nodes, with several roots at times.
FeatureTree tree_by_chance(Rng& rng, int64_t most) {
  std::vector<float> features;
  std::vector<int32_t> parents;
  int64_t nodes = 1 + rng.below(most);
  for (int64_t node = 0; node < nodes; ++node) {
    parents.push_back(node == 0 ? FeatureTree::kRoot : int32_t(rng.between(-1, node - 1)));
    for (size_t i = 0; i < kWidth; ++i) features.push_back(float(rng.normal()));
  }
  return FeatureTree::create(kWidth, std::move(features), std::move(parents)).value();
}

/// A chain of loops with two leaves below: what it takes depends on how deep a feature stands, on
/// its product with another one's, and on which leaf is the first.
struct Nests {
  std::vector<FeatureTree> trees;
  TreeRows rows;
};
Nests nests(size_t count, uint64_t seed, float shift = 0) {
  Nests made;
  Rng rng(seed);
  for (size_t i = 0; i < count; ++i) {
    std::vector<float> features;
    std::vector<int32_t> parents = {-1, 0, 1, 2, 2};
    for (size_t k = 0; k < parents.size() * kWidth; ++k) features.push_back(float(rng.uniform()));
    float target = features[3] * features[6] + 0.5F * features[9] - 0.5F * features[12] +
                   0.3F * std::abs(features[1] - 0.5F) + shift;
    made.trees.push_back(FeatureTree::create(kWidth, std::move(features), parents).value());
    made.rows.targets.push_back(target);
  }
  for (FeatureTree const& tree : made.trees) made.rows.trees.push_back(&tree);
  return made;
}

double tau(TreeGru const& model, Nests const& on) {
  return kendall_tau(model.predict(on.rows.trees), on.rows.targets);
}

gru::Matrix<double> features_of(std::vector<FeatureTree const*> const& trees, int nodes) {
  gru::Matrix<double> features(kWidth, nodes);
  int column = 0;
  for (FeatureTree const* tree : trees)
    for (size_t node = 0; node < tree->nodes(); ++node, ++column)
      for (size_t i = 0; i < kWidth; ++i)
        features(Eigen::Index(i), column) = double(tree->row(node)[i]);
  return features;
}

/// The largest difference between the gradient by hand and central differences, as a share.
double worst_gradient(Objective objective) {
  Rng rng(7);
  std::vector<FeatureTree> trees;
  for (int i = 0; i < 6; ++i) trees.push_back(tree_by_chance(rng, 9));
  std::vector<FeatureTree const*> all;
  for (FeatureTree const& tree : trees) all.push_back(&tree);
  gru::Plan plan = gru::plan_of(all);
  gru::Sizes sizes{kWidth, 4, 5, 3};
  std::vector<double> numbers(sizes.parameters()), targets, slopes;
  for (double& one : numbers) one = 0.7 * rng.normal();
  for (size_t i = 0; i < trees.size(); ++i) targets.push_back(rng.normal());
  std::vector<int> groups = {0, 1, 0, 1, 0, 0};
  gru::Pass<double> pass(sizes, plan);
  auto loss = [&] {
    gru::Vector<double> predicted = pass.forward(
        gru::weights_of(sizes, std::as_const(numbers).data()), features_of(all, plan.nodes));
    return gru::loss_of(objective, {predicted.data(), trees.size()}, targets, groups, slopes);
  };
  loss();
  std::vector<double> by_hand(numbers.size(), 0.0);
  auto gradients = gru::gradients_of(sizes, by_hand.data());
  pass.backward(gru::weights_of(sizes, std::as_const(numbers).data()),
                Eigen::Map<gru::Vector<double>>(slopes.data(), Eigen::Index(slopes.size())),
                gradients);
  double worst = 0, step = 1e-5, largest = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    double at = numbers[i];
    numbers[i] = at + step;
    double above = loss();
    numbers[i] = at - step;
    double below = loss();
    numbers[i] = at;
    worst = std::max(worst, std::abs((above - below) / (2 * step) - by_hand[i]));
    largest = std::max(largest, std::abs(by_hand[i]));
  }
  return worst / largest;
}

}  // namespace

class TreeGruTest : public QObject {
  Q_OBJECT
private slots:
  void the_gradient_is_that_of_differences() {
    for (Objective objective : {Objective::kPairwiseRank, Objective::kRegression}) {
      double worst = worst_gradient(objective);
      qInfo("largest difference %.2g of the largest slope", worst);
      QVERIFY(worst < 1e-8);
    }
  }

  void every_step_comes_behind_what_it_needs() {
    Rng rng(3);
    std::vector<FeatureTree> trees;
    for (int i = 0; i < 40; ++i) trees.push_back(tree_by_chance(rng, 12));
    std::vector<FeatureTree const*> all;
    for (FeatureTree const& tree : trees) all.push_back(&tree);
    gru::Plan plan = gru::plan_of(all);
    QCOMPARE(plan.trees, 40);
    int joins = 0, next = 0;
    for (gru::Plan::Wave const& wave : plan.waves) {
      QCOMPARE(wave.first, next);
      next += wave.count;
      joins += wave.join ? wave.count : 0;
      for (int i = wave.first; i < next; ++i) {
        QVERIFY(plan.state[size_t(i)] < wave.first);
        if (wave.join) QVERIFY(plan.input[size_t(i)] < wave.first && plan.state[size_t(i)] >= 0);
      }
    }
    QCOMPARE(next, plan.steps);
    QCOMPARE(plan.steps, plan.nodes + joins);
    QVERIFY(joins > 0);
  }

  void what_it_says_of_a_tree_does_not_depend_on_the_others() {
    Rng rng(5);
    std::vector<FeatureTree> trees;
    for (int i = 0; i < 150; ++i) trees.push_back(tree_by_chance(rng, 10));
    std::vector<FeatureTree const*> all;
    for (FeatureTree const& tree : trees) all.push_back(&tree);
    TreeGru model = TreeGru::by_chance({kWidth, 8, 16, 4}, {0, 0, 0}, {1, 1, 1}, 1);
    std::vector<float> together = model.predict(all);
    for (size_t i = 0; i < all.size(); ++i)
      QVERIFY(std::abs(model.predict({&all[i], 1})[0] - together[i]) < 1e-5F);
    QVERIFY(together[0] != together[1]);
    QCOMPARE(TreeGru().predict(all), std::vector<float>(all.size(), 0.0F));
  }

  void it_learns_what_depends_on_depth_and_on_the_order_of_children() {
    Nests seen = nests(300, 1), other = nests(300, 2);
    for (Objective objective : {Objective::kPairwiseRank, Objective::kRegression}) {
      auto trained = train_tree_gru(seen.rows, {.objective = objective, .seed = 1});
      QVERIFY(trained);
      double right = tau(trained->model, other);
      qInfo("tau %.3f after %d steps, loss %.4f", right, trained->steps, trained->loss);
      QVERIFY(right > 0.8);
    }
    // The two leaves have opposite signs: a network that only adds children up cannot tell.
    Nests swapped = nests(1, 9);
    FeatureTree const& one = swapped.trees[0];
    std::vector<float> features;
    for (size_t node : {0, 1, 2, 4, 3})
      features.insert(features.end(), one.row(node).begin(), one.row(node).end());
    FeatureTree two = FeatureTree::create(kWidth, features, {-1, 0, 1, 2, 2}).value();
    auto trained = train_tree_gru(seen.rows, {.seed = 1});
    FeatureTree const* both[] = {&one, &two};
    std::vector<float> said = trained->model.predict(both);
    QCOMPARE(said[0] > said[1], one.row(3)[0] > one.row(4)[0]);
  }

  void a_prediction_so_far_is_what_it_goes_on_from() {
    Nests seen = nests(200, 1), other = nests(200, 2);
    for (float target : seen.rows.targets) seen.rows.prediction_so_far.push_back(target + 2);
    auto trained = train_tree_gru(seen.rows, {.objective = Objective::kRegression, .seed = 1});
    QVERIFY(trained);
    for (float one : trained->model.predict(other.rows.trees)) QVERIFY(std::abs(one + 2) < 0.2F);
  }

  void groups_are_ordered_each_by_itself() {
    Nests seen = nests(200, 1), more = nests(200, 2, 100), other = nests(300, 3);
    TreeRows both = seen.rows;
    both.trees.insert(both.trees.end(), more.rows.trees.begin(), more.rows.trees.end());
    both.targets.insert(both.targets.end(), more.rows.targets.begin(), more.rows.targets.end());
    both.groups.assign(200, 0);
    both.groups.resize(400, 1);
    auto apart = train_tree_gru(both, {.seed = 1});
    both.groups.clear();
    auto mixed = train_tree_gru(both, {.seed = 1});
    QVERIFY(apart && mixed);
    QVERIFY(tau(apart->model, other) > 0.8);
    QVERIFY(tau(apart->model, other) > tau(mixed->model, other) + 0.1);
  }

  void the_same_seed_gives_the_same_network() {
    Nests seen = nests(60, 1);
    auto one = train_tree_gru(seen.rows, {.steps = 40, .seed = 4});
    auto two = train_tree_gru(seen.rows, {.steps = 40, .seed = 4});
    auto three = train_tree_gru(seen.rows, {.steps = 40, .seed = 5});
    QVERIFY(one && two && three);
    QVERIFY(one->model == two->model);
    QVERIFY(!(one->model == three->model));
  }

  void it_ends_when_what_was_held_out_gets_no_better() {
    Nests seen = nests(60, 1);
    Rng rng(1);
    for (float& target : seen.rows.targets) target = float(rng.normal());  // nothing to be learned
    auto trained = train_tree_gru(seen.rows, {.steps = 3000, .patience = 4, .seed = 1});
    QVERIFY(trained && trained->converged);
    QVERIFY(trained->steps < 1000);
    auto all = train_tree_gru(seen.rows, {.steps = 100, .patience = 0, .seed = 1});
    QVERIFY(all && !all->converged);
    QCOMPARE(all->steps, 100);
    QVERIFY(all->loss <= trained->loss * 1.5);
  }

  void weights_of_one_task_are_a_good_beginning_for_a_similar_one() {
    Nests seen = nests(300, 1), few = nests(16, 11), other = nests(300, 12);
    for (size_t i = 0; i < few.trees.size(); ++i) few.rows.targets[i] *= 3;
    auto source = train_tree_gru(seen.rows, {.seed = 1});
    QVERIFY(source);
    TreeGruOptions options{.steps = 30, .seed = 2};
    auto alone = train_tree_gru(few.rows, options);
    auto helped = train_tree_gru(few.rows, options, {}, &source->model);
    QVERIFY(alone && helped);
    qInfo("tau from 16 rows: alone %.3f, going on %.3f", tau(alone->model, other),
          tau(helped->model, other));
    QVERIFY(tau(helped->model, other) > 0.7);
    QVERIFY(tau(helped->model, other) > tau(alone->model, other) + 0.1);
    QCOMPARE(helped->model.means(), source->model.means());
  }

  void what_is_no_number_is_refused_with_a_sentence() {
    float nan = std::nanf(""), infinite = std::numeric_limits<float>::infinity();
    for (float bad : {nan, infinite}) {
      auto tree = FeatureTree::create(2, {0, 1, bad, 3}, {-1, 0});
      QVERIFY(!tree);
      QCOMPARE(tree.error().code, std::string("not_a_number"));
      QVERIFY(tree.error().message.find("feature 0 of row 1") != std::string::npos);
      Nests seen = nests(10, 1);
      seen.rows.targets[4] = bad;
      auto trained = train_tree_gru(seen.rows, {});
      QVERIFY(!trained);
      QVERIFY(trained.error().message.starts_with("the target of row 4 is"));
    }
    QCOMPARE(FeatureTree::create(1, {1, 2}, {-1, 1}).error().code, std::string("bad_parent"));
    QCOMPARE(FeatureTree::create(1, {1, 2}, {-1, -2}).error().code, std::string("bad_parent"));
    QCOMPARE(FeatureTree::create(2, {1, 2, 3}, {-1}).error().code, std::string("rows_differ"));
    QCOMPARE(FeatureTree::create(1, {}, {}).error().code, std::string("no_rows"));
  }

  void what_does_not_fit_is_refused() {
    Nests seen = nests(10, 1);
    auto code = [](auto const& result) { return result ? std::string() : result.error().code; };
    QCOMPARE(code(train_tree_gru({}, {})), std::string("no_rows"));
    TreeRows short_one = seen.rows;
    short_one.targets.pop_back();
    QCOMPARE(code(train_tree_gru(short_one, {})), std::string("rows_differ"));
    for (TreeGruOptions const& bad :
         {TreeGruOptions{.hidden = 0}, TreeGruOptions{.learning_rate = 0},
          TreeGruOptions{.held_out = 1}, TreeGruOptions{.batch = 1}})
      QCOMPARE(code(train_tree_gru(seen.rows, bad)), std::string("bad_option"));
    TreeGru wide = TreeGru::by_chance({5, 4, 4, 2}, {0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}, 1);
    QCOMPARE(code(train_tree_gru(seen.rows, {}, {}, &wide)), std::string("other_features"));
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(code(train_tree_gru(seen.rows, {}, stop.get_token())), std::string("cancelled"));
  }
};

QTEST_APPLESS_MAIN(TreeGruTest)
#include "tree_gru_test.moc"
