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

  void what_comes_first_makes_others_give_way_and_they_are_done_again() {
    std::atomic<bool> runs = false;
    std::vector<std::string> order;
    Jobs jobs([] {});
    jobs.start("roofs", "measuring this machine", [&](StopToken stop, Progress const&) {
      order.push_back("roofs");
      runs = true;
      for (int i = 0; i < 2000 && order.size() == 1 && !stop.stop_requested(); ++i)
        std::this_thread::sleep_for(1ms);
      if (stop.stop_requested()) order.push_back("stopped");
    });
    QTRY_VERIFY(runs);
    jobs.start("export", "waits", [&](StopToken, Progress const&) { order.push_back("export"); });
    jobs.start_first("open", "opening",
                     [&](StopToken, Progress const&) { order.push_back("open"); }, {"roofs"});
    QVERIFY(jobs.wait_idle(5));
    QCOMPARE(order, (std::vector<std::string>{"roofs", "stopped", "open", "roofs", "export"}));
  }

  void who_cancels_what_is_seen_keeps_what_waits_to_be_opened() {
    std::atomic<bool> runs = false, opened = false, others = false;
    Jobs jobs([] {});
    jobs.start("device", "asking", [&](StopToken stop, Progress const&) {
      runs = true;
      while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
    });
    QTRY_VERIFY(runs);
    jobs.start("check", "checking", [&](StopToken, Progress const&) { others = true; });
    jobs.start_first("open", "opening", [&](StopToken, Progress const&) { opened = true; }, {});
    jobs.cancel_all("open");
    QVERIFY(jobs.wait_idle(5));
    QVERIFY(opened && !others);
  }

  void a_canceled_job_that_gave_way_is_not_done_again() {
    std::atomic<int> begun = 0;
    Jobs jobs([] {});
    jobs.start("roofs", "measuring", [&](StopToken stop, Progress const&) {
      ++begun;
      while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
      std::this_thread::sleep_for(20ms);
    });
    QTRY_VERIFY(begun > 0);
    jobs.start_first("open", "opening", [](StopToken, Progress const&) {}, {"roofs"});
    jobs.cancel("roofs");
    QVERIFY(jobs.wait_idle(5));
    QCOMPARE(begun.load(), 1);
  }

  void nothing_begins_while_it_is_held() {
    std::atomic<int> begun = 0;
    Jobs jobs([] {});
    jobs.hold();
    jobs.hold();
    jobs.start("model", "modelling", [&](StopToken, Progress const&) { ++begun; });
    jobs.release();
    QVERIFY(!jobs.wait_idle(0.05));
    QCOMPARE(begun.load(), 0);
    jobs.release();
    QVERIFY(jobs.wait_idle(5));
    QCOMPARE(begun.load(), 1);
  }

  /// As a session is left: a job of one thread begins jobs on another.
  void jobs_that_are_over_take_no_more() {
    std::atomic<bool> runs = false, late = false;
    Jobs first([] {}), second([] {});
    first.start("open", "opening", [&](StopToken stop, Progress const&) {
      runs = true;
      while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
      second.start("model", "modelling", [&](StopToken, Progress const&) { late = true; });
    });
    QTRY_VERIFY(runs);
    for (Jobs* jobs : {&first, &second}) jobs->end();
    for (Jobs* jobs : {&first, &second}) jobs->join();
    QVERIFY(!late && first.idle() && second.idle());
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
