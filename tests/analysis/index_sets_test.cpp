// Sets of indices against their elements, one by one.
#include <QtTest>

#include <set>

#include "engine/analysis/index_sets.h"
#include "engine/support/base/random.h"

using namespace tw;
using namespace tw::analysis;

namespace {

std::vector<int64_t> one_by_one(int64_t base, std::vector<Progression> const& all, int64_t box) {
  std::set<int64_t> sums{base};
  for (Progression const& one : all) {
    std::set<int64_t> next;
    for (int64_t sum : sums)
      for (int64_t i = 0; i < one.extent; ++i) next.insert(sum + one.factor * i);
    sums = std::move(next);
  }
  std::vector<int64_t> inside;
  for (int64_t sum : sums)
    if (sum >= 0 && sum < box) inside.push_back(sum);
  return inside;
}

bool has_gap(int64_t base, std::vector<Progression> const& all) {
  std::vector<int64_t> sums = one_by_one(base + 100'000, all, 1'000'000);
  return sums.back() - sums.front() + 1 != int64_t(sums.size());
}

}  // namespace

class IndexSetsTest : public QObject {
  Q_OBJECT
private slots:
  void sums_without_gap_are_those_of_the_loops() {
    auto sums =
        sums_without_gap(0, {{.factor = 32, .extent = 4}, {.factor = 1, .extent = 32}}, 128);
    QVERIFY(sums);
    QCOMPARE(sums->size(), size_t(128));
    QVERIFY(!sums_without_gap(0, {{.factor = 2, .extent = 4}}, 8));
    QVERIFY(sums_without_gap(9, {{.factor = 1, .extent = 4}}, 8)->empty());
    QVERIFY(
        sums_without_gap(5, {{.factor = 3, .extent = 1}, {.factor = 0, .extent = 9}}, 8)->size() ==
        1);
  }

  void random_sums_are_those_of_the_loops() {
    constexpr uint64_t kSeed = 20;
    Rng random(kSeed);
    auto up_to = [&](int64_t n) { return int64_t(random.next() % uint64_t(n + 1)); };
    int plain = 0, gaps = 0;
    for (int trial = 0; trial < 4000; ++trial) {
      std::vector<Progression> all(size_t(up_to(3)));
      for (Progression& one : all) one = {up_to(12) - 6, 1 + up_to(7)};
      int64_t base = up_to(40) - 20, box = 1 + up_to(60);
      auto sums = sums_without_gap(base, all, box);
      if (!sums) {
        // Whoever asks goes through the points then; it must not be the rule.
        ++gaps;
        continue;
      }
      ++plain;
      QCOMPARE(*sums, one_by_one(base, all, box));
      QVERIFY(!has_gap(base, all));
    }
    qInfo("seed %d: %d without a gap, %d with one", int(kSeed), plain, gaps);
    QVERIFY(plain > 1000 && gaps > 500);
  }
};

QTEST_GUILESS_MAIN(IndexSetsTest)
#include "index_sets_test.moc"
