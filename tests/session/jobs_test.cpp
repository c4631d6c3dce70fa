#include <QtTest>

#include <atomic>
#include <chrono>

#include "engine/session/state/jobs.h"

using namespace tw;
using namespace tw::session;
using namespace std::chrono_literals;

class JobsTest : public QObject {
  Q_OBJECT
private slots:
  void a_newer_job_of_a_kind_voids_the_older_ones() {
    std::atomic<int> finished = 0, stopped = 0;
    Jobs jobs([] {});
    auto slow = [&](StopToken stop, Progress const&) {
      for (int i = 0; i < 200 && !stop.stop_requested(); ++i) std::this_thread::sleep_for(5ms);
      ++(stop.stop_requested() ? stopped : finished);
    };
    jobs.start("measure", "first", slow);
    std::this_thread::sleep_for(20ms);
    jobs.start("measure", "second", slow);
    jobs.start("measure", "third", [&](StopToken, Progress const&) { ++finished; });
    QVERIFY(jobs.wait_idle(5));
    QCOMPARE(stopped.load(), 1);
    QCOMPARE(finished.load(), 1);
  }

  void jobs_of_other_kinds_all_run_in_order() {
    std::vector<int> order;
    Jobs jobs([] {});
    for (int i = 0; i < 5; ++i)
      jobs.start(std::to_string(i), "job",
                 [&order, i](StopToken, Progress const&) { order.push_back(i); });
    QVERIFY(jobs.wait_idle(5));
    QCOMPARE(order, (std::vector<int>{0, 1, 2, 3, 4}));
  }

  void progress_is_seen_and_leaving_stops_the_running_job() {
    std::atomic<bool> seen = false, ended = false;
    {
      Jobs jobs([] {});
      jobs.start("open", "opening", [&](StopToken stop, Progress const& progress) {
        progress({"reading", 3, 7});
        while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
        ended = true;
      });
      for (int i = 0; i < 500 && !seen; ++i) {
        std::this_thread::sleep_for(2ms);
        auto view = jobs.current();
        seen = view && view->what == "reading" && view->done == 3 && view->total == 7;
      }
    }
    QVERIFY(seen);
    QVERIFY(ended);
  }
};

QTEST_GUILESS_MAIN(JobsTest)
#include "jobs_test.moc"
