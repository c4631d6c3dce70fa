#include <QtTest>

#include "engine/arith/integer_sets.h"
#include "engine/support/base/random.h"
#include "tests/support/figures.h"

using namespace tw;

namespace {

/// Few variables, small bounds and factors: every point can be looked at.
IntegerSystem random_system(Rng& rng) {
  IntegerSystem system;
  for (int64_t count = rng.between(1, 4); count > 0; --count) {
    int64_t low = rng.between(-3, 2);
    system.variable(low, low + rng.between(0, 5));
  }
  auto row = [&] {
    LinearRow made{{}, rng.between(-4, 4)};
    for (int64_t terms = rng.between(1, 3); terms > 0; --terms)
      made.terms.push_back({int(rng.below(int64_t(system.variables.size()))), rng.between(-4, 4)});
    return made;
  };
  for (int64_t count = rng.between(0, 2); count > 0; --count) system.zero.push_back(row());
  for (int64_t count = rng.between(0, 3); count > 0; --count) system.not_negative.push_back(row());
  return system;
}

bool holds(IntegerSystem const& system, std::vector<int64_t> const& values) {
  auto value = [&](LinearRow const& row) {
    int64_t sum = row.constant;
    for (auto const& [variable, factor] : row.terms) sum += factor * values[size_t(variable)];
    return sum;
  };
  return std::ranges::all_of(system.zero, [&](auto& row) { return value(row) == 0; }) &&
         std::ranges::all_of(system.not_negative, [&](auto& row) { return value(row) >= 0; });
}

/// The least point in the order of the variables, by trying all.
std::vector<int64_t> least_point(IntegerSystem const& system) {
  std::vector<int64_t> at;
  for (auto const& bounds : system.variables) at.push_back(bounds.low);
  for (;;) {
    if (holds(system, at)) return at;
    size_t i = at.size();
    while (i > 0 && at[i - 1] == system.variables[i - 1].high) {
      at[i - 1] = system.variables[i - 1].low;
      --i;
    }
    if (i == 0) return {};
    ++at[i - 1];
  }
}

/// Four sums of thirty numbers, each to be half of all: small to write down and hard to solve.
IntegerSystem hard_system(Rng& rng) {
  IntegerSystem system;
  for (int i = 0; i < 30; ++i) system.variable(0, 1);
  for (int r = 0; r < 4; ++r) {
    LinearRow row;
    int64_t sum = 0;
    for (int i = 0; i < 30; ++i) {
      row.terms.push_back({i, rng.between(1, 99)});
      sum += row.terms.back().second;
    }
    row.constant = -sum / 2;
    system.zero.push_back(std::move(row));
  }
  return system;
}

}  // namespace

class IntegerSetsTest : public QObject {
  Q_OBJECT
private slots:
  void the_least_solution_is_the_one_that_trying_all_points_finds() {
    Rng rng(5);
    int with = 0, without = 0;
    for (int i = 0; i < 2000; ++i) {
      IntegerSystem system = random_system(rng);
      IntegerSets sets(ProofBudget::kWork);
      Solution solution = sets.solve(system);
      std::vector<int64_t> expected = least_point(system);
      QVERIFY(solution.solvable == (expected.empty() ? Solvable::kNo : Solvable::kYes));
      if (!expected.empty()) QCOMPARE(solution.values, expected);
      ++(expected.empty() ? without : with);
    }
    qInfo("%d with a solution, %d without", with, without);
    QVERIFY(with > 300 && without > 300);
  }

  void large_bounds_cost_nothing() {
    IntegerSystem system;  // 2x = 2y + 1 and 3u = 5v, u > 1'000'000
    int x = system.variable(0, 1 << 30), y = system.variable(0, 1 << 30);
    int u = system.variable(0, 1 << 30), v = system.variable(0, 1 << 30);
    system.zero = {{{{u, 3}, {v, -5}}, 0}};
    system.not_negative = {{{{u, 1}}, -1'000'001}};
    IntegerSets sets(ProofBudget::kWork);
    Solution solution = sets.solve(system);
    QVERIFY(solution.solvable == Solvable::kYes);
    QCOMPARE(solution.values, (std::vector<int64_t>{0, 0, 1'000'005, 600'003}));
    system.zero.push_back({{{x, 2}, {y, -2}}, -1});
    QVERIFY(sets.solve(system).solvable == Solvable::kNo);
    QCOMPARE(sets.questions(), 2);
  }

  void a_search_ends_by_work_everywhere_and_by_the_clock_where_somebody_waits() {
    Rng rng(7);
    IntegerSystem system = hard_system(rng);
    for (ProofBudget budget : {ProofBudget::kInteractive, ProofBudget::kWork}) {
      IntegerSets sets(budget);
      QElapsedTimer timer;
      timer.start();
      Solution solution = sets.solve(system);
      double milliseconds = double(timer.nsecsElapsed()) / 1e6;
      qInfo("%s: %.1f ms", budget == ProofBudget::kWork ? "by work" : "by the clock", milliseconds);
      QVERIFY(solution.solvable == Solvable::kOutOfTime);
      // What is asked afterwards has no answer either: it would depend on the machine.
      QVERIFY(sets.solve(system).solvable == Solvable::kOutOfTime);
      if (budget == ProofBudget::kInteractive)
        QVERIFY(testing::is_bearable("integer sets give up", milliseconds, 50));
    }
  }

  /// As where others have the processor: this thread is there, but does nothing.
  void time_that_others_take_ends_no_search() {
    IntegerSystem system;
    int x = system.variable(0, 100);
    system.not_negative = {{{{x, 1}}, -7}};
    IntegerSets sets(ProofBudget::kInteractive);
    QThread::msleep(100);
    Solution solution = sets.solve(system);
    QVERIFY(solution.solvable == Solvable::kYes);
    QCOMPARE(solution.values, std::vector<int64_t>{7});
  }
};

QTEST_GUILESS_MAIN(IntegerSetsTest)
#include "integer_sets_test.moc"
