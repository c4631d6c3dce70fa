// The distances between uses of lines, against their definition and against caches.
#include "engine/analysis/reuse_distance.h"

#include <QtTest>

#include <algorithm>
#include <list>

#include "engine/analysis/cache_model.h"
#include "engine/support/base/random.h"

using namespace tw;
using namespace tw::analysis;

class ReuseDistanceTest : public QObject {
  Q_OBJECT
private slots:
  void distances_are_those_of_a_stack() {
    Rng rng(5);
    ReuseDistances distances;
    std::list<int64_t> stack;  // the last used first
    int came_back = 0;
    for (int i = 0; i < 30'000; ++i) {
      // Near ones mostly, and now and then one of many.
      int64_t line = rng.below(4) == 0 ? rng.below(700) : rng.below(30);
      auto found = std::ranges::find(stack, line);
      int64_t expected = found == stack.end() ? -1 : std::distance(stack.begin(), found);
      if (found != stack.end()) stack.erase(found);
      stack.push_front(line);
      QCOMPARE(distances.use(line), expected);
      came_back += expected >= 0;
    }
    QVERIFY(came_back > 20'000);
  }

  void ranges_join_without_gaps() {
    for (size_t range = 0; range < 200; ++range) {
      int64_t least = ReuseHistogram::least_of(range);
      QCOMPARE(ReuseHistogram::range_of(least), range);
      QCOMPARE(ReuseHistogram::range_of(ReuseHistogram::least_of(range + 1) - 1), range);
    }
    // Sizes of caches are ends of ranges: what they answer is exact.
    for (int64_t lines : {64, 512, 768, 1024, 20480, 524288})
      QCOMPARE(ReuseHistogram::least_of(ReuseHistogram::range_of(lines)), lines);
  }

  /// A cache of one set, simulated beside it, answers what the histogram says.
  void a_cache_without_sets_answers_that_share() {
    constexpr int kUses = 20'000;
    for (int64_t lines : {4, 16, 48, 256}) {
      CacheModel cache({{"L1", lines * 64, 64, int(lines)}});
      ReuseDistances distances;
      ReuseHistogram histogram;
      Rng rng(uint64_t(lines) + 1);
      int64_t answered = 0, first = 0;
      for (int i = 0; i < kUses; ++i) {
        int64_t line = rng.below(3) == 0 ? rng.below(600) : i % 40;
        CacheModel::Answer answer = cache.touch(line);
        answered += answer.level == 0;
        first += answer.miss == Miss::kCold;
        histogram.add(distances.use(line));
      }
      QCOMPARE(histogram.total(), int64_t(kUses));
      QCOMPARE(histogram.first, first);
      QCOMPARE(histogram.answered_within(lines), double(answered) / kUses);
    }
  }

  void nothing_is_nothing() {
    ReuseHistogram histogram;
    QCOMPARE(histogram.answered_within(100), 0.0);
    histogram.add(-1);
    QCOMPARE(histogram.answered_within(100), 0.0);
    histogram.add(0);
    QCOMPARE(histogram.answered_within(1), 0.5);
  }
};

QTEST_GUILESS_MAIN(ReuseDistanceTest)
#include "reuse_distance_test.moc"
