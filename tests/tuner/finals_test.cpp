// What a tuning claims holds when it is measured anew: the best of several noisy medians is lucky.
#include <QtTest>

#include <cmath>

#include "engine/device/local_device.h"
#include "engine/tuner/certainty.h"
#include "engine/tuner/tune.h"
#include "tests/support/compiled.h"
#include "tests/support/paths.h"
#include "tests/support/random_schedules.h"
#include "tests/tuner/troubled_device.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;
using namespace tw::testing;

namespace {

/// Rounds of a busy machine: most times are near each other, some are far off.
std::vector<double> noisy_ratios(Rng& rng, double truth, double noise, int rounds) {
  auto sample = [&] {
    double time = std::exp(noise * rng.normal());
    return rng.below(8) == 0 ? time * (1 + rng.uniform()) : time;
  };
  std::vector<double> ratios;
  for (int i = 0; i < rounds; ++i) ratios.push_back(truth * sample() / sample());
  return ratios;
}

}  // namespace

class FinalsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    device_ = std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
    kernel_ = kernel_of(kProduct);
    Rng rng(3);
    inputs_ = random_inputs(kernel_, rng);
    expected_ = expected_of(kernel_, inputs_);
  }

  void few_samples_are_certain_of_nothing() {
    QVERIFY(std::isinf(upper_median({})));
    QVERIFY(std::isinf(upper_median({1, 2, 3, 4, 5, 6, 7})));
    QCOMPARE(upper_median({8, 7, 6, 5, 4, 3, 2, 1}), 8.0);
    std::vector<double> many;
    for (int i = 1; i <= 25; ++i) many.push_back(i);
    QCOMPARE(upper_median(many), 20.0);
  }

  void noise_is_no_gain_and_a_gain_is_found() {
    Rng rng(7);
    int false_claims = 0, found = 0;
    constexpr int kTimes = 2000;
    for (int i = 0; i < kTimes; ++i) {
      false_claims += is_certainly_faster(noisy_ratios(rng, 1, 0.05, 41));
      found += is_certainly_faster(noisy_ratios(rng, 0.9, 0.05, 41));
    }
    qInfo("of %d: %d false claims, %d of a gain of a tenth found", kTimes, false_claims, found);
    QVERIFY(false_claims <= kTimes / 200);
    QVERIFY(found >= kTimes * 9 / 10);
    // A simulator's times are the same in each round.
    QVERIFY(is_certainly_faster(std::vector<double>(3, 0.996)));
    QVERIFY(!is_certainly_faster(std::vector<double>(3, 1.0)));
  }

  /// All schedules take the same, and what was measured of them is noise.
  void of_equal_ones_the_schedule_by_rule_stays() {
    int claims = 0;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
      Rng rng(seed);
      TuneResult result = tuned(seed, [&](double) { return 1e-3 * std::exp(0.1 * rng.normal()); });
      claims += !result.point.empty();
    }
    QCOMPARE(claims, 0);
  }

  /// What is claimed is the gain, not the luck of the one that was chosen.
  void a_claim_is_as_large_as_the_gain() {
    int claims = 0;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      Rng rng(seed);
      double least = 1, rule = 0;
      auto time = [&](double truth) {
        if (rule == 0) rule = truth;
        least = std::min(least, truth);
        return truth * std::exp(0.02 * rng.normal());
      };
      TuneResult result = tuned(seed, time);
      if (result.point.empty()) continue;
      ++claims;
      QVERIFY(result.seconds / result.rule_seconds >= least / (1e-3 + 400e-6) * 0.97);
      QVERIFY(result.seconds >= least * 0.97);
    }
    QVERIFY(claims > 0);
  }

private:
  TuneResult tuned(uint64_t seed, std::function<double(double)> const& time) {
    TroubledDevice device(*device_);
    device.times = time;
    TuneOptions options{.trials = 9, .seed = seed, .search = "random"};
    return tune(space_of(kProduct), device, inputs_, expected_, options).value();
  }

  std::unique_ptr<LocalDevice> device_;
  te::Kernel kernel_;
  std::vector<NDArray> inputs_;
  te::Expected expected_;
};

QTEST_GUILESS_MAIN(FinalsTest)
#include "finals_test.moc"
