// Independent work on all processors.
#include <QtTest>
#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "engine/support/base/side_by_side.h"

using namespace tw;

class SideBySideTest : public QObject {
  Q_OBJECT
private slots:
  void each_is_done_once() {
    for (size_t count : {0, 1, 2, 3, 1000}) {
      std::vector<std::atomic<int>> done(count);
      side_by_side(count, [&](size_t i) { ++done[i]; });
      QVERIFY(std::ranges::all_of(done, [](auto const& times) { return times == 1; }));
    }
  }

  void work_inside_of_work_takes_no_more_threads_than_there_are_processors() {
    std::mutex mutex;
    std::set<std::thread::id> now;
    size_t most = 0;
    side_by_side(8, [&](size_t) {
      side_by_side(8, [&](size_t) {
        {
          std::lock_guard lock(mutex);
          now.insert(std::this_thread::get_id());
          most = std::max(most, now.size());
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::lock_guard lock(mutex);
        now.erase(std::this_thread::get_id());
      });
    });
    QVERIFY(most >= 1 && most <= std::max(1u, std::thread::hardware_concurrency()));
  }

  void threads_are_given_back() {
    if (std::thread::hardware_concurrency() < 2) QSKIP("there is one processor");
    for (int round = 0; round < 200; ++round) {
      std::atomic<int> here = 0;
      side_by_side(2, [&](size_t) {
        ++here;  // both are begun before either ends: there are two threads
        while (here < 2) std::this_thread::yield();
      });
    }
  }

  void nothing_begins_after_a_stop() {
    std::stop_source source;
    std::atomic<int> done = 0;
    side_by_side(
        1000,
        [&](size_t) {
          ++done;
          source.request_stop();
        },
        source.get_token());
    QVERIFY(done >= 1 && done <= int(std::thread::hardware_concurrency()) + 1);
  }
};

QTEST_GUILESS_MAIN(SideBySideTest)
#include "side_by_side_test.moc"
