// The pool: each task once, whatever the number of threads, of tasks, and who calls.
#include "engine/runtime/thread_pool.h"

#include <QtTest>
#include <algorithm>
#include <chrono>
#include <numeric>

using namespace tw;

namespace {

using Counts = std::vector<std::atomic<int>>;

int32_t count_task(void* closure, int64_t task) {
  (*static_cast<Counts*>(closure))[size_t(task)].fetch_add(1);
  return 0;
}

bool each_once(Counts const& counts) {
  return std::ranges::all_of(counts, [](auto const& count) { return count.load() == 1; });
}

struct Nested {
  TwRuntime const* runtime;
  Counts* counts;
  int64_t inner;
};

int32_t outer_task(void* closure, int64_t task) {
  auto* nested = static_cast<Nested*>(closure);
  struct Row {
    Nested* nested;
    int64_t task;
  } row{nested, task};
  auto body = [](void* pointer, int64_t i) {
    auto* outer = static_cast<Row*>(pointer);
    return count_task(outer->nested->counts, outer->task * outer->nested->inner + i);
  };
  return nested->runtime->parallel_for(nested->runtime->pool, nested->inner, body, &row);
}

}  // namespace

class ThreadPoolTest : public QObject {
  Q_OBJECT
private slots:
  void each_task_runs_once_for_many_sizes_and_more_threads_than_cores() {
    for (int threads : {1, 2, 3, 4, 8, 17}) {
      ThreadPool pool(threads);
      QCOMPARE(pool.threads(), threads);
      for (int64_t tasks : {0, 1, 2, 3, 5, 8, 31, 64, 1000, 4097}) {
        Counts counts(static_cast<size_t>(tasks));
        TwRuntime const* runtime = pool.runtime();
        QCOMPARE(runtime->parallel_for(runtime->pool, tasks, count_task, &counts), 0);
        QVERIFY(each_once(counts));
      }
    }
  }

  void thousands_of_short_loops_in_a_row_lose_nothing() {
    for (int threads : {2, 5}) {
      ThreadPool pool(threads);
      for (int round = 0; round < 3000; ++round) {
        Counts counts(size_t(1 + round % 7));
        QCOMPARE(pool.parallel_for(int64_t(counts.size()), count_task, &counts), 0);
        QVERIFY(each_once(counts));
      }
    }
  }

  void the_first_loop_of_a_new_pool_already_has_all_threads() {
    if (usable_cores().size() < 2) QSKIP("this machine has one core");
    struct Seen {
      std::thread::id ids[2];
      std::chrono::microseconds busy;
    };
    auto body = [](void* closure, int64_t task) {
      static_cast<Seen*>(closure)->ids[task] = std::this_thread::get_id();
      auto end = std::chrono::steady_clock::now() + static_cast<Seen*>(closure)->busy;
      while (std::chrono::steady_clock::now() < end) {
      }
      return 0;
    };
    // Other work may hold the second core for some scheduler ticks: later tries wait that out.
    bool both = false;
    for (int attempt = 0; attempt < 26 && !both; ++attempt) {
      ThreadPool pool(2);
      Seen seen{{}, std::chrono::microseconds(attempt < 20 ? 300 : 60000)};
      QCOMPARE(pool.parallel_for(2, body, &seen), 0);
      both = seen.ids[0] != seen.ids[1];
    }
    QVERIFY(both);
  }

  void pools_beside_each_other_have_different_cores() {
    std::vector<int> usable = usable_cores();
    if (usable.size() < 2) QSKIP("this machine has one core");
    CoreLease first(2), second(2);
    QVERIFY(first.cores().size() == 2 && first.cores()[0] != first.cores()[1]);
    QVERIFY(second.cores().size() == 2 && second.cores()[0] != second.cores()[1]);
    QVERIFY2(first.cores()[1] != second.cores()[1], "both workers are on one core");
    if (usable.size() >= 4)
      for (int core : first.cores()) QVERIFY(std::ranges::count(second.cores(), core) == 0);
  }

  void a_core_given_back_is_taken_again() {
    std::vector<int> usable = usable_cores();
    if (usable.size() < 2) QSKIP("this machine has one core");
    std::vector<int> once = CoreLease(2).cores();
    for (int round = 0; round < 10; ++round) QCOMPARE(CoreLease(2).cores(), once);
    QCOMPARE(once, std::vector<int>(usable.begin(), usable.begin() + 2));
    // A thread alone, and more threads than there are cores, stay on none.
    QVERIFY(CoreLease(1).cores().empty());
    QVERIFY(CoreLease(int(usable.size()) + 1).cores().empty());
    QCOMPARE(ThreadPool(1).caller_core(), -1);
    QCOMPARE(ThreadPool(2).caller_core(), usable[0]);
    QCOMPARE(ThreadPool(2, Pinning::kNone).caller_core(), -1);
  }

  void sleeping_threads_wake_up() {
    ThreadPool pool(3);
    for (int round = 0; round < 20; ++round) {
      QTest::qSleep(2);  // longer than threads spin
      Counts counts(16);
      QCOMPARE(pool.parallel_for(16, count_task, &counts), 0);
      QVERIFY(each_once(counts));
    }
  }

  void a_loop_inside_a_task_runs_serially_and_completely() {
    ThreadPool pool(4);
    Counts counts(40 * 25);
    Nested nested{pool.runtime(), &counts, 25};
    QCOMPARE(pool.parallel_for(40, outer_task, &nested), 0);
    QVERIFY(each_once(counts));
  }

  void two_callers_at_once_are_both_served() {
    ThreadPool pool(3);
    std::atomic<int> wrong{0};
    auto caller = [&] {
      for (int round = 0; round < 500; ++round) {
        Counts counts(13);
        if (pool.parallel_for(13, count_task, &counts) != 0 || !each_once(counts)) ++wrong;
      }
    };
    std::thread other(caller);
    caller();
    other.join();
    QCOMPARE(wrong.load(), 0);
  }

  void a_failing_task_stops_the_loop_with_its_code() {
    for (int threads : {1, 4}) {
      ThreadPool pool(threads);
      auto body = [](void*, int64_t task) { return task == 5 ? int32_t(42) : 0; };
      QCOMPARE(pool.parallel_for(100, body, nullptr), 42);
      QCOMPARE(pool.parallel_for(5, body, nullptr), 0);  // the code does not stay
    }
  }
};

QTEST_GUILESS_MAIN(ThreadPoolTest)
#include "thread_pool_test.moc"
