// Measures of predictions and what a search makes of uncertainty, against plain definitions.
#include "engine/learning/quality.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "engine/learning/acquisition.h"
#include "engine/support/base/random.h"

using namespace tw;

namespace {

/// Tau-b as it is defined, over all pairs.
double tau_of_pairs(std::vector<float> const& a, std::vector<float> const& b) {
  double concordance = 0, in_a = 0, in_b = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      double x = (a[i] > a[j]) - (a[i] < a[j]), y = (b[i] > b[j]) - (b[i] < b[j]);
      concordance += x * y;
      in_a += x != 0;
      in_b += y != 0;
    }
  return in_a * in_b == 0 ? 0 : concordance / std::sqrt(in_a * in_b);
}

/// The mean of max(x - best, 0) over a normal density, by the trapezoidal rule.
double improvement_by_steps(double mean, double deviation, double best) {
  double sum = 0, step = 1e-4;
  for (double z = -12; z < 12; z += step)
    sum += std::max(mean + z * deviation - best, 0.0) * std::exp(-z * z / 2) * step;
  return sum / std::sqrt(2 * M_PI);
}

bool near(double found, double expected, double tolerance = 1e-9) {
  if (std::fabs(found - expected) <= tolerance) return true;
  qInfo("%.12g is not %.12g", found, expected);
  return false;
}

}  // namespace

class QualityTest : public QObject {
  Q_OBJECT
private slots:
  void recall_counts_the_best_that_are_among_the_predicted_best() {
    std::vector<float> truth{4, 3, 2, 1};
    QCOMPARE(average_recall(std::vector<float>{9, 8, 7, 6}, truth, 4), 1.0);
    // In the order 2, 3, 0, 1: of the best one 0, of two 0, of three 2, of four 4.
    QVERIFY(near(average_recall(std::vector<float>{2, 1, 9, 8}, truth, 4),
                 (0.0 + 0.0 / 2 + 2.0 / 3 + 1) / 4));
    QVERIFY(near(average_recall(std::vector<float>{8, 9, 1, 2}, truth, 2), (0.0 + 1.0) / 2));
    QCOMPARE(average_recall(std::vector<float>{9, 8, 7, 6}, truth, 100), 1.0);
    QCOMPARE(average_recall({}, {}, 5), 1.0);
    QCOMPARE(average_recall(std::vector<float>{1}, std::vector<float>{1}, 5), 1.0);
  }

  void recall_is_what_its_definition_counts() {
    Rng rng(4);
    for (int round = 0; round < 300; ++round) {
      auto count = size_t(rng.between(1, 40)), k = size_t(rng.between(1, 50));
      std::vector<float> predicted, truth;
      for (size_t i = 0; i < count; ++i) {
        truth.push_back(float(rng.below(15)));  // with ties
        predicted.push_back(float(i));
      }
      std::ranges::shuffle(predicted, std::mt19937(unsigned(round)));
      k = std::min(k, count);
      std::vector<float> best = truth;
      std::ranges::sort(best, std::greater());
      double sum = 0;
      for (size_t n = 1; n <= k; ++n) {
        double found = 0;
        for (size_t i = 0; i < count; ++i) {
          bool chosen = predicted[i] >= float(count - n);
          found += chosen && truth[i] >= best[n - 1];
        }
        sum += found / double(n);
      }
      QVERIFY(near(average_recall(predicted, truth, k), sum / double(k)));
    }
  }

  void a_model_that_says_nothing_has_no_luck() {
    std::vector<float> constant(10, 1.0f), truth{9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    QCOMPARE(average_recall(constant, truth, 3), 0.0);
    QCOMPARE(top_regret(constant, truth, 3), 7.0);
    QCOMPARE(kendall_tau(constant, truth), 0.0);
  }

  void tau_is_one_for_the_same_order_and_minus_one_for_the_reverse() {
    std::vector<float> truth{1, 5, 2, 8}, same{-1, 3, 0, 100}, reverse{3, 1, 2, 0};
    QVERIFY(near(kendall_tau(same, truth), 1));
    QVERIFY(near(kendall_tau(reverse, truth), -1));
    QCOMPARE(kendall_tau({}, {}), 0.0);
    QCOMPARE(kendall_tau(std::vector<float>{1}, std::vector<float>{1}), 0.0);
  }

  void tau_is_what_counting_all_pairs_gives_with_ties_too() {
    Rng rng(5);
    for (int round = 0; round < 300; ++round) {
      std::vector<float> a, b;
      int64_t different = rng.between(1, 30);
      for (int64_t i = rng.below(60); i > 0; --i) {
        a.push_back(float(rng.below(different)));
        b.push_back(float(rng.below(2) ? rng.below(different) : int64_t(a.back())));
      }
      QVERIFY(near(kendall_tau(a, b), tau_of_pairs(a, b)));
    }
  }

  void regret_is_what_the_best_of_the_chosen_lacks() {
    std::vector<float> predicted{5, 4, 3, 2}, truth{6, 8, 9, 10};
    QCOMPARE(top_regret(predicted, truth, 1), 4.0);
    QCOMPARE(top_regret(predicted, truth, 2), 2.0);
    QCOMPARE(top_regret(predicted, truth, 4), 0.0);
    QCOMPARE(top_regret(predicted, truth, 9), 0.0);
    QCOMPARE(top_regret({}, {}, 2), 0.0);
  }

  void expected_improvement_has_its_closed_form() {
    QVERIFY(near(expected_improvement(1, 2, 1), 2 / std::sqrt(2 * M_PI)));
    QVERIFY(near(expected_improvement(1, 1, 0), 1.0833154705876863, 1e-12));
    QVERIFY(near(expected_improvement(0, 1, 1), 0.0833154705876863, 1e-12));
    for (double mean : {-1.0, 0.2, 3.0})
      for (double deviation : {0.1, 1.0, 4.0})
        QVERIFY(near(expected_improvement(mean, deviation, 0.5),
                     improvement_by_steps(mean, deviation, 0.5), 1e-6));
  }

  void without_uncertainty_it_is_the_improvement_itself() {
    QCOMPARE(expected_improvement(3, 0, 1), 2.0);
    QCOMPARE(expected_improvement(1, 0, 3), 0.0);
    QVERIFY(expected_improvement(-100, 1, 0) >= 0);
  }

  void the_upper_bound_is_so_many_deviations_above_the_mean() {
    QCOMPARE(upper_confidence_bound(2, 0.5, 3), 3.5);
    QCOMPARE(upper_confidence_bound(2, 0, 3), 2.0);
  }
};

QTEST_APPLESS_MAIN(QualityTest)
#include "quality_test.moc"
