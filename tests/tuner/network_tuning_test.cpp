// One budget for several kernels: where it goes, and what becomes of what cannot be searched.
#include <QtTest>

#include "engine/tuner/budget_shares.h"
#include "engine/tuner/network_tuning.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;

namespace {

/// Its best time falls from 1 to `floor` by a tenth each trial; it takes no time.
class MadeUpTuning final : public KernelTuning {
public:
  MadeUpTuning(double floor, int converges, int& finished)
      : floor_(floor), converges_(converges), finished_(finished) {}
  Result<TuneEnd> search(int trials, double) override {
    for (int i = 0; i < trials; ++i) {
      if (trials_ == converges_) return TuneEnd::kConverged;
      ++trials_;
      best_ = std::max(floor_, best_ * 0.9);
    }
    return TuneEnd::kTrials;
  }
  double best_seconds() const override { return best_; }
  double rule_seconds() const override { return 1; }
  int trials() const override { return trials_; }
  Result<TuneResult> finish(int) override {
    ++finished_;
    TuneResult result;
    result.seconds = best_;
    result.rule_seconds = 1;
    return result;
  }

private:
  double floor_;
  int converges_;
  int& finished_;
  int trials_ = 0;
  double best_ = 1;
};

NetworkTask made_up(double seconds, double floor, int& finished, int converges = 1'000'000) {
  return {"made up", seconds, [=, &finished]() -> Result<std::unique_ptr<KernelTuning>> {
            return std::make_unique<MadeUpTuning>(floor, converges, finished);
          }};
}

}  // namespace

class NetworkTuningTest : public QObject {
  Q_OBJECT
private slots:
  void who_takes_most_and_gains_is_searched_most() {
    BudgetShares shares({10, 1, 0.001});
    std::vector<int> slices(3);
    for (int i = 0; i < 30; ++i) {
      int next = shares.next().value();
      // The first gains nothing, the second a tenth each time.
      shares.tell(next, next == 1 ? std::pow(0.9, ++slices[1]) : 1, 1);
      slices[size_t(next)] += next != 1;
    }
    QVERIFY2(slices[1] > slices[0], "a kernel that gains is worth more than one that does not");
    QVERIFY2(slices[0] >= 4, "one that takes most is tried for a while");
    QCOMPARE(slices[2], 0);
    QVERIFY(std::abs(shares.gain(1) - (1 - std::pow(0.9, slices[1]))) < 1e-9);
    QCOMPARE(shares.gain(0), 0.0);
  }

  void who_gained_before_is_not_given_up_after_one_slice_in_vain() {
    BudgetShares shares({10, 1});
    shares.tell(0, 0.2, 1);
    shares.tell(0, 0.2, 1);
    QCOMPARE(shares.next(), std::optional(0));  // half of what it gained is still expected
    shares.tell(0, 0.2, 1);
    shares.tell(0, 0.2, 1);
    QCOMPARE(shares.next(), std::optional(1));
  }

  void who_costs_more_waits_longer() {
    BudgetShares shares({1, 1});
    shares.tell(0, 0.9, 10);
    shares.tell(1, 0.9, 1);
    QCOMPARE(shares.next().value(), 1);
    shares.close(1);
    QCOMPARE(shares.next().value(), 0);
    shares.close(0);
    QVERIFY(!shares.next());
  }

  void only_what_gained_is_compared_and_the_rest_is_by_rule() {
    int finished = 0;
    std::vector<NetworkTask> tasks = {made_up(1, 0.5, finished), made_up(1, 1, finished),
                                      made_up(1e-6, 0.5, finished)};
    NetworkOutcome outcome = tune_network(tasks, {.trials = 200}).value();
    QCOMPARE(finished, 1 + (outcome.tasks[2].trials > 0));
    QVERIFY(outcome.tasks[0].result && !outcome.tasks[1].result);
    int trials = 0;
    for (TaskOutcome const& task : outcome.tasks) trials += task.trials;
    QCOMPARE(trials, 200);
    QVERIFY(outcome.end == TuneEnd::kTrials);
  }

  void it_ends_where_every_search_has_ended() {
    int finished = 0;
    std::vector<NetworkTask> tasks = {made_up(1, 0.5, finished, 5), made_up(1, 0.9, finished, 50)};
    NetworkOutcome outcome = tune_network(tasks, {.trials = 10'000}).value();
    QVERIFY(outcome.end == TuneEnd::kConverged);
    QCOMPARE(outcome.tasks[0].trials, 5);
    QCOMPARE(outcome.tasks[1].trials, 50);
  }

  void what_cannot_be_searched_is_left_out_with_its_reason() {
    int finished = 0;
    NetworkTask broken{"broken", 5, []() -> Result<std::unique_ptr<KernelTuning>> {
                         return refused("kernel_too_large", "its answers cannot be checked");
                       }};
    NetworkOutcome outcome =
        tune_network({broken, made_up(1, 0.5, finished)}, {.trials = 32}).value();
    QCOMPARE(outcome.tasks[0].left_out, std::string("its answers cannot be checked"));
    QCOMPARE(outcome.tasks[1].trials, 32);
    QCOMPARE(finished, 1);
  }

  void nothing_is_compared_after_a_stop() {
    int finished = 0;
    std::stop_source stop;
    NetworkBudget budget{.stop = stop.get_token(), .on_turn = [&](int) { stop.request_stop(); }};
    auto outcome = tune_network({made_up(1, 0.5, finished)}, budget);
    QVERIFY(!outcome && outcome.error().code == "cancelled");
    QCOMPARE(finished, 0);
  }

  void enough_ends_the_search_and_what_was_found_is_compared() {
    int finished = 0;
    std::stop_source enough;
    NetworkBudget budget{.enough = enough.get_token(),
                         .on_turn = [&](int) { enough.request_stop(); }};
    NetworkOutcome outcome = tune_network({made_up(1, 0.5, finished)}, budget).value();
    QVERIFY(outcome.end == TuneEnd::kStopped);
    QVERIFY(outcome.tasks[0].trials > 0);
    QCOMPARE(finished, 1);
  }
};

QTEST_GUILESS_MAIN(NetworkTuningTest)
#include "network_tuning_test.moc"
