// Trees as arrays: what they predict, by hand and against a walk that takes branches.
#include "engine/learning/tree_ensemble.h"

#include <QtTest>

#include "engine/learning/bootstrap.h"
#include "tests/learning/synthetic.h"

using namespace tw;

namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

float walked(CompleteTree const& tree, float const* row) {
  size_t node = 0;
  while (node < tree.splits.size()) {
    TreeSplit const& split = tree.splits[node];
    float value = row[split.feature];
    bool left = std::isnan(value) ? split.missing_left : value < split.threshold;
    node = 2 * node + (left ? 1 : 2);
  }
  return tree.leaves[node - tree.splits.size()];
}

CompleteTree random_tree(int depth, size_t width, Rng& rng) {
  CompleteTree tree{.depth = depth, .splits = {}, .leaves = {}};
  for (int i = 0; i + 1 < 1 << depth; ++i)
    tree.splits.push_back(
        {uint32_t(rng.below(int64_t(width))), float(rng.uniform()), rng.below(2) == 0});
  for (int i = 0; i < 1 << depth; ++i) tree.leaves.push_back(float(rng.normal()));
  return tree;
}

Error error_of(size_t width, float bias, CompleteTree const& tree) {
  auto made = TreeEnsemble::create(width, bias, std::span(&tree, 1));
  return made ? Error{} : made.error();
}

}  // namespace

class TreeEnsembleTest : public QObject {
  Q_OBJECT
private slots:
  void a_row_goes_left_where_its_feature_is_less_and_missing_ones_as_the_split_says() {
    CompleteTree tree{1, {{1, 0.5f, false}}, {10, 20}}, other{1, {{1, 0.5f, true}}, {1, 2}};
    auto trees = TreeEnsemble::create(2, 100, std::vector{tree, other}).value();
    std::vector<float> rows{9, 0.4f, 0, 0.5f, 0, 0.6f, 0, kMissing};
    QCOMPARE(trees.predict({rows, 2}), (std::vector<float>{111, 122, 122, 121}));
  }

  void every_depth_and_any_number_of_rows_is_as_a_walk_says() {
    Rng rng(3);
    for (int depth = 0; depth <= kMostTreeDepth; ++depth)
      for (size_t width : {1, 7, 128}) {
        std::vector<CompleteTree> each;
        for (int i = 0; i < 5; ++i)
          each.push_back(random_tree(std::max(0, depth - i % 2), width, rng));
        auto trees = TreeEnsemble::create(width, 0.25f, each).value();
        for (size_t count : {0, 1, 63, 300}) {
          TrainingRows rows = testing::hill_rows(count, std::max<size_t>(width, 5), 4, 0.1);
          rows.features.resize(count * width);
          std::vector<float> predicted = trees.predict({rows.features, width});
          QCOMPARE(predicted.size(), count);
          for (size_t row = 0; row < count; ++row) {
            float sum = 0.25f;
            for (CompleteTree const& tree : each) sum += walked(tree, &rows.features[row * width]);
            QCOMPARE(predicted[row], sum);
          }
        }
      }
  }

  void trees_come_back_as_they_were_given() {
    Rng rng(5);
    std::vector<CompleteTree> each{random_tree(3, 9, rng), random_tree(0, 9, rng),
                                   random_tree(6, 9, rng)};
    auto trees = TreeEnsemble::create(9, 1, each).value();
    QCOMPARE(trees.size(), size_t(3));
    for (size_t i = 0; i < each.size(); ++i) QVERIFY(trees.tree(i) == each[i]);
  }

  void trees_that_follow_are_added() {
    Rng rng(6);
    std::vector<CompleteTree> first{random_tree(2, 5, rng)},
        more{random_tree(4, 5, rng), random_tree(1, 5, rng)};
    auto before = TreeEnsemble::create(5, 1, first).value();
    auto after = before.followed_by(TreeEnsemble::create(5, 0.5f, more).value(), 1);
    auto expected = TreeEnsemble::create(5, 1.5f, std::vector{first[0], more[0]}).value();
    QVERIFY(after == expected);
    QVERIFY(!(before == expected));
  }

  void what_is_no_tree_is_refused_with_a_sentence() {
    CompleteTree good{1, {{1, 0.5f, false}}, {1, 2}};
    QCOMPARE(error_of(2, 0, good).message, std::string());
    CompleteTree leaf_missing = good, far = good, endless = good, deep = good, infinite = good;
    leaf_missing.leaves.pop_back();
    QCOMPARE(error_of(2, 0, leaf_missing).message, "tree 0 of depth 1 has 1 splits and 1 leaves");
    QCOMPARE(error_of(1, 0, far).message, "tree 0 asks for feature 1 of 1");
    endless.splits[0].threshold = kMissing;
    QCOMPARE(error_of(2, 0, endless).message, "tree 0 has a threshold that is no number");
    deep.depth = 11;
    QCOMPARE(error_of(2, 0, deep).message, "tree 0 has a depth of 11, which is not in 0 to 10");
    infinite.leaves[0] = std::numeric_limits<float>::infinity();
    QCOMPARE(error_of(2, 0, infinite).message, "tree 0 has a leaf that is no number");
    QCOMPARE(error_of(2, kMissing, good).message, "the bias of the trees is no number");
    QCOMPARE(error_of(0, 0, good).code, "damaged_trees");
  }

  void several_ensembles_give_mean_and_standard_deviation() {
    Bootstrap bootstrap{{TreeEnsemble(3, 1), TreeEnsemble(3, 2), TreeEnsemble(3, 6)}};
    std::vector<float> row{0, 0, 0};
    Uncertain found = bootstrap.predict({row, 3});
    QCOMPARE(found.means, std::vector<float>{3});
    QCOMPARE(found.deviations, std::vector<float>{std::sqrt(7.0f)});  // (4 + 1 + 9) / 2
    Bootstrap one{{TreeEnsemble(3, 5)}};
    QCOMPARE(one.predict({row, 3}).deviations, std::vector<float>{0});
    QVERIFY(one.predict({{}, 3}).means.empty());
  }
};

QTEST_APPLESS_MAIN(TreeEnsembleTest)
#include "tree_ensemble_test.moc"
