// Which cache has a line, and why another one does not.
#include "engine/analysis/cache_model.h"

#include <QtTest>

#include "engine/support/base/random.h"

using namespace tw;
using namespace tw::analysis;

namespace {

std::vector<CacheShape> two_levels() { return {{"L1", 4096, 64, 8}, {"L2", 32768, 64, 8}}; }

/// One level by the definition: each set is a list, the last used first.
class PlainCache {
public:
  explicit PlainCache(CacheShape shape) : shape_(std::move(shape)), sets_(size_t(shape_.sets())) {}
  bool use(int64_t line) {
    std::vector<int64_t>& set = sets_[size_t(line) % sets_.size()];
    auto known = std::ranges::find(set, line);
    bool hit = known != set.end();
    if (hit) set.erase(known);
    set.insert(set.begin(), line);
    if (set.size() > size_t(shape_.ways)) set.pop_back();
    return hit;
  }

private:
  CacheShape shape_;
  std::vector<std::vector<int64_t>> sets_;
};

}  // namespace

class CacheModelTest : public QObject {
  Q_OBJECT
private slots:
  void sets_are_a_power_of_two_data() {
    QTest::addColumn<qlonglong>("bytes");
    QTest::addColumn<int>("ways");
    QTest::newRow("32 KB") << 32768LL << 8;
    QTest::newRow("48 KB") << 49152LL << 12;
    QTest::newRow("1 MB") << 1048576LL << 8;
    QTest::newRow("1.25 MB") << 1310720LL << 10;
    QTest::newRow("no power of two") << 64LL * 37 * 41 << 16;
  }
  void sets_are_a_power_of_two() {
    QFETCH(qlonglong, bytes);
    QFETCH(int, ways);
    Hardware hardware;
    hardware.memories = {{.name = "L1", .bytes = bytes}, {.name = "DRAM", .cache = false}};
    std::vector<CacheShape> shapes = cache_shapes(hardware);
    QCOMPARE(shapes.size(), size_t(1));
    QCOMPARE(shapes.front().ways, ways);
  }

  void lines_come_once_and_stay_while_there_is_room() {
    CacheModel caches(two_levels());
    for (int64_t line = 0; line < 64; ++line) {
      CacheModel::Answer answer = caches.touch(line);
      QCOMPARE(answer.level, 2);
      QVERIFY(answer.miss == Miss::kCold);
    }
    for (int64_t line = 0; line < 64; ++line) QCOMPARE(caches.touch(line).level, 0);
  }

  void what_is_too_much_for_the_first_stays_in_the_second() {
    CacheModel caches(two_levels());
    for (int64_t line = 0; line < 128; ++line) caches.touch(line);
    for (int64_t line = 0; line < 128; ++line) {
      CacheModel::Answer answer = caches.touch(line);
      QCOMPARE(answer.level, 1);
      QVERIFY(answer.miss == Miss::kCapacity);
    }
  }

  void lines_of_one_set_drive_each_other_out() {
    CacheModel caches(two_levels());  // 8 sets of 8 ways
    for (int round = 0; round < 3; ++round)
      for (int64_t line = 0; line < 9; ++line) {
        CacheModel::Answer answer = caches.touch(line * 8);
        QCOMPARE(answer.level, round == 0 ? 2 : 1);
        QVERIFY(answer.miss == (round == 0 ? Miss::kCold : Miss::kConflict));
      }
  }

  void it_is_told_what_goes() {
    CacheModel caches({{"L1", 512, 64, 8}});
    std::vector<int64_t> gone;
    caches.dropped = [&](int64_t line) { gone.push_back(line); };
    for (int64_t line : {0, 1, 2, 3, 4, 5, 6, 7, 0, 8, 9}) caches.touch(line);
    QCOMPARE(gone, (std::vector<int64_t>{1, 2}));
    QCOMPARE(caches.nearest(0), 0);
    QCOMPARE(caches.nearest(1), 1);
  }

  void random_lines_are_where_the_definition_says() {
    Rng rng(7);
    CacheModel caches(two_levels());
    PlainCache first(two_levels()[0]), second(two_levels()[1]);
    int levels[3] = {};
    for (int i = 0; i < 200'000; ++i) {
      int64_t line = rng.below(3) ? int64_t(rng.below(60)) : int64_t(rng.below(900));
      int level = first.use(line) ? 0 : second.use(line) ? 1 : 2;
      QCOMPARE(caches.touch(line).level, level);
      ++levels[level];
    }
    for (int count : levels) QVERIFY2(count > 5000, "a level was never asked");
  }
};

QTEST_APPLESS_MAIN(CacheModelTest)
#include "cache_model_test.moc"
