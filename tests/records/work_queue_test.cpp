// Slices of a team's jobs: each is given to one worker at a time, comes back when its worker dies,
// and jobs have their share.
#include <QtTest>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "engine/records/work_queue.h"
#include "tests/support/postgres_server.h"

using namespace tw;
using namespace tw::records;

namespace {

using Queue = std::unique_ptr<WorkQueue>;

Queue opened(std::string const& url) {
  auto queue = open_work_queue(url);
  if (!queue) qFatal("%s", to_sentence(queue.error()).c_str());
  return std::move(*queue);
}

TeamJob some_job(std::string const& name, int priority = 0) {
  return {name, priority, "EPYC", "cpu, AVX-512", "{}", "the model of " + name};
}

std::vector<WorkSlice> some_slices(int count) {
  std::vector<WorkSlice> slices;
  for (int i = 0; i < count; ++i) slices.push_back({i % 3, 16});
  return slices;
}

LeaseRequest any(double seconds = 60, std::string const& job = "") {
  return {"worker", "EPYC", "cpu, AVX-512", job, seconds};
}

}  // namespace

class WorkQueueTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    if (!server_.missing().empty()) QSKIP(server_.missing().c_str());
    url_ = server_.fresh();
  }

  void a_file_is_no_team() {
    QCOMPARE(open_work_queue("/tmp/trials.sqlite").error().code, std::string("no_team"));
  }

  void a_job_comes_with_its_model_and_is_worked_off() {
    Queue queue = opened(url_);
    TeamJob job = some_job("night");
    job.model = std::string(20'000'000, 'm') + std::string("\0x", 2);  // more than one part
    QVERIFY(queue->add(job, some_slices(3)));
    auto there = queue->job("night");
    QVERIFY(there && *there && (*there)->is_open);
    QVERIFY((*there)->model == job.model);
    QCOMPARE((*there)->target, job.target);
    QVERIFY(!queue->job("day").value());
    std::set<int> kernels;
    for (int i = 0; i < 3; ++i) {
      auto lease = queue->take(any()).value();
      QVERIFY(lease && lease->trials == 16 && lease->job == "night");
      kernels.insert(lease->kernel);
      QVERIFY(queue->give_back(*lease, 16, true));
    }
    QCOMPARE(kernels.size(), size_t(3));
    QVERIFY(!queue->take(any()).value());
    JobProgress progress = queue->progress("night").value().value();
    QVERIFY(progress.slices == 3 && progress.done == 3 && progress.leased == 0);
  }

  void a_device_of_another_kind_gets_nothing() {
    Queue queue = opened(url_);
    QVERIFY(queue->add(some_job("night"), some_slices(3)));
    QVERIFY(!queue->take({"worker", "Xeon", "cpu, AVX-512", "", 60}).value());
    QVERIFY(!queue->take({"worker", "EPYC", "cpu, AVX2", "", 60}).value());
    QVERIFY(!queue->take(any(60, "day")).value());
    QVERIFY(queue->take(any(60, "night")).value());
  }

  void what_a_dead_worker_had_is_taken_by_another_without_what_was_made() {
    Queue queue = opened(url_);
    QVERIFY(queue->add(some_job("night"), some_slices(1)));
    Lease dead = queue->take(any(0.3)).value().value();
    QVERIFY(queue->renew(dead, 5, 0.3).value());
    QVERIFY(!queue->take(any()).value());
    QThread::msleep(500);
    QVERIFY(!queue->renew(dead, 6, 60).value());  // too late
    Lease next = queue->take(any()).value().value();
    QCOMPARE(next.slice, dead.slice);
    QCOMPARE(next.trials, 11);
    // The first worker was only slow: what it says now changes nothing.
    QVERIFY(queue->give_back(dead, 16, true));
    QVERIFY(!queue->renew(dead, 16, 60).value());
    QCOMPARE(queue->progress("night").value()->done, 0);
    QVERIFY(queue->give_back(next, 4, false));
    QCOMPARE(queue->take(any()).value()->trials, 7);
  }

  /// Four points were tried twice by a team whose workers had a slice each of one kernel.
  void a_point_is_tried_by_who_asks_first() {
    Queue one = opened(url_), other = opened(url_);
    std::vector<WorkSlice> slices = {{0, 16}, {0, 16}, {1, 16}};
    QVERIFY(one->add(some_job("night"), slices));
    Lease first = one->take(any()).value().value();
    Lease second = other->take(any()).value().value();
    Lease elsewhere = other->take(any()).value().value();
    QVERIFY(first.kernel == 0 && second.kernel == 0 && elsewhere.kernel == 1);
    QVERIFY(one->claim(first, "split(C.i, factor=8)").value());
    QVERIFY(!other->claim(second, "split(C.i, factor=8)").value());
    QVERIFY(one->claim(first, "split(C.i, factor=8)").value());  // asked again, as after a loss
    QVERIFY(other->claim(second, "split(C.i, factor=4)").value());
    QVERIFY(!one->claim(first, "split(C.i, factor=4)").value());
    QVERIFY(other->claim(elsewhere, "split(C.i, factor=8)").value());
    QVERIFY(one->give_back(first, 16, true));  // it was tried
    QVERIFY(!other->claim(second, "split(C.i, factor=8)").value());
  }

  void what_kills_every_worker_is_left_out_in_the_end() {
    Queue queue = opened(url_);
    QVERIFY(queue->add(some_job("night"), some_slices(1)));
    int taken = 0;
    for (int i = 0; i < 10; ++i) {
      taken += queue->take(any(0.01)).value().has_value();
      QThread::msleep(30);
    }
    QCOMPARE(taken, 5);
    QCOMPARE(queue->progress("night").value()->done, 1);
  }

  void many_workers_at_once_never_have_the_same_slice() {
    QVERIFY(opened(url_)->add(some_job("night"), some_slices(120)));
    std::mutex mutex;
    std::map<int64_t, int> taken;
    {
      std::vector<std::jthread> workers;
      for (int i = 0; i < 8; ++i)
        workers.emplace_back([&] {
          Queue queue = opened(url_);
          while (true) {
            auto lease = queue->take(any());
            if (!lease || !*lease) return;
            {
              std::lock_guard lock(mutex);
              ++taken[(*lease)->slice];
            }
            if (!queue->give_back(**lease, 16, true)) return;
          }
        });
    }
    QCOMPARE(taken.size(), size_t(120));
    for (auto const& [slice, times] : taken) QCOMPARE(times, 1);
    QCOMPARE(opened(url_)->progress("night").value()->done, 120);
  }

  void the_highest_priority_goes_first_and_equals_share() {
    Queue queue = opened(url_);
    QVERIFY(queue->add(some_job("a"), some_slices(40)));
    QVERIFY(queue->add(some_job("b"), some_slices(40)));
    std::map<std::string, int> shares;
    for (int i = 0; i < 20; ++i) ++shares[queue->take(any()).value()->job];
    QCOMPARE(shares["a"], 10);
    QCOMPARE(shares["b"], 10);
    // One that comes later has no claim to what others had before.
    QVERIFY(queue->add(some_job("c"), some_slices(40)));
    for (int i = 0; i < 15; ++i) ++shares[queue->take(any()).value()->job];
    QVERIFY(shares["c"] >= 4 && shares["c"] <= 6);
    QVERIFY(queue->add(some_job("urgent", 1), some_slices(3)));
    for (int i = 0; i < 3; ++i) QCOMPARE(queue->take(any()).value()->job, std::string("urgent"));
    QVERIFY(queue->take(any()).value()->job != "urgent");
  }

  void a_job_whose_slices_take_longer_gets_fewer_of_them() {
    Queue queue = opened(url_);
    QVERIFY(queue->add(some_job("long"), some_slices(40)));
    QVERIFY(queue->add(some_job("short"), some_slices(40)));
    std::map<std::string, int> shares;
    for (int i = 0; i < 24; ++i) {
      Lease lease = queue->take(any()).value().value();
      QThread::msleep(lease.job == "long" ? 120 : 10);
      QVERIFY(queue->give_back(lease, 16, true));
      if (i >= 4) ++shares[lease.job];  // what they take is known then
    }
    QVERIFY2(shares["short"] > 2 * shares["long"], std::to_string(shares["long"]).c_str());
  }

  void a_job_goes_on_and_ends() {
    Queue queue = opened(url_);
    QVERIFY(queue->add(some_job("night"), some_slices(4)));
    Lease lease = queue->take(any()).value().value();
    QVERIFY(queue->add(some_job("night"), some_slices(9)));  // was half done: nothing is added
    QCOMPARE(queue->progress("night").value()->slices, 4);
    TeamJob other = some_job("night");
    other.model = "another model";
    QCOMPARE(queue->add(other, some_slices(4)).error().code, std::string("job_taken"));
    QVERIFY(queue->end("night"));
    QVERIFY(!queue->renew(lease, 1, 60).value());
    QVERIFY(!queue->take(any()).value());
    QVERIFY(!queue->progress("night").value()->is_open);
    QVERIFY(queue->add(some_job("night"), some_slices(2)));  // had ended: it gets more
    QCOMPARE(queue->progress("night").value()->slices, 6);
    QVERIFY(queue->end_kernel("night", 0));
    QCOMPARE(queue->take(any()).value()->kernel, 1);
    QVERIFY(!queue->take(any()).value());
  }

  void who_holds_which_slice_is_known() {
    Queue queue = opened(url_);
    QVERIFY(queue->add(some_job("night"), some_slices(3)));
    QVERIFY(queue->held().value().empty());
    Lease lease = queue->take(any(60)).value().value();
    QVERIFY(queue->renew(lease, 5, 60).value());
    auto held = queue->held().value();
    QCOMPARE(held.size(), size_t(1));
    QVERIFY(held[0].job == "night" && held[0].worker == "worker" && held[0].kernel == 0);
    QVERIFY(held[0].trials == 16 && held[0].made == 5);
    QVERIFY(held[0].seconds_left > 30 && held[0].seconds_left <= 60);
    QVERIFY(queue->give_back(lease, 16, true));
    QVERIFY(queue->held().value().empty());
    Lease lost = queue->take(any(0.1)).value().value();
    QTRY_VERIFY(queue->held().value().empty());  // it has expired
    JobProgress job = queue->progress("night").value().value();
    QVERIFY(job.trials == 48 && job.made == 16 && job.left_out == 0);
  }

  void what_a_converged_search_leaves_out_is_told_from_what_was_made() {
    Queue queue = opened(url_);
    QVERIFY(queue->add(some_job("night"), some_slices(6)));
    for (int i = 0; i < 3; ++i) {
      Lease lease = queue->take(any()).value().value();
      QVERIFY(queue->give_back(lease, lease.kernel == 0 ? 9 : 16, true));
      if (lease.kernel == 0) QVERIFY(queue->end_kernel("night", 0));
    }
    // The slice that it ended in, and the one that nobody took.
    QCOMPARE(queue->progress("night").value()->left_out, 2);
    QVERIFY(queue->end("night"));
    QCOMPARE(queue->progress("night").value()->left_out, 2);  // the others are not
    QVERIFY(queue->add(some_job("night"), some_slices(3)));
    QCOMPARE(queue->progress("night").value()->left_out, 0);  // that was another search
  }

  void who_waits_is_woken_by_work() {
    Queue waiting = opened(url_), other = opened(url_);
    QVERIFY(!waiting->wait(std::chrono::milliseconds(50)).value());
    std::jthread later([&] {
      QThread::msleep(300);
      (void)other->add(some_job("night"), some_slices(1));
    });
    QElapsedTimer timer;
    timer.start();
    QVERIFY(waiting->wait(std::chrono::seconds(20)).value());
    QVERIFY(timer.elapsed() < 10'000);
  }

  void devices_are_known_and_leave() {
    Queue queue = opened(url_);
    QVERIFY(queue->here({"board1", "EPYC", "cpu", "night"}));
    QVERIFY(queue->here({"board1", "EPYC", "cpu", ""}));
    QVERIFY(queue->here({"board2", "EPYC", "cpu", "night"}));
    auto devices = queue->devices().value();
    QCOMPARE(devices.size(), size_t(2));
    QCOMPARE(devices[0].doing, std::string());
    QVERIFY(devices[1].seconds_ago >= 0 && devices[1].seconds_ago < 60);
    QVERIFY(queue->leave("board2"));
    QCOMPARE(queue->devices()->size(), size_t(1));
  }

  void a_server_that_comes_back_knows_every_lease() {
    Queue queue = opened(url_);
    QVERIFY(queue->add(some_job("night"), some_slices(2)));
    Lease lease = queue->take(any()).value().value();
    server_.stop(SIGQUIT);
    server_.start();
    QVERIFY(queue->renew(lease, 3, 60).value());
    QVERIFY(queue->take(any()).value()->slice != lease.slice);
    QVERIFY(!queue->take(any()).value());
  }

private:
  testing::PostgresServer server_;
  std::string url_;
};

QTEST_GUILESS_MAIN(WorkQueueTest)
#include "work_queue_test.moc"
