// Measuring steps: samples, least and spread, short steps repeated, failures.
#include "engine/runtime/timer.h"

#include <QtTest>
#include <chrono>
#include <map>
#include <thread>

#include "tests/support/sanitized.h"

using namespace tw;

class TimerTest : public QObject {
  Q_OBJECT
private slots:
  void least_median_and_spread_are_those_of_the_samples() {
    Samples samples{{4.0, 2.0, 3.0}};
    QCOMPARE(samples.least(), 2.0);
    QCOMPARE(samples.median(), 3.0);
    QCOMPARE(samples.spread(), 0.5);
    QCOMPARE(Samples{}.least(), 0.0);
    QCOMPARE((Samples{{1.0, 2.0}}).median(), 1.5);
  }

  void a_short_step_is_run_many_times_per_sample() {
    int64_t calls = 0;
    auto step = [&](size_t) {
      ++calls;
      return 0;
    };
    Timing timing = time_steps(1, step, {.warm_up = 3, .repeats = 4}).value();
    QCOMPARE(timing.total.seconds.size(), size_t(4));
    QVERIFY(timing.runs_per_sample > 100);
    QVERIFY(calls >= 4 * timing.runs_per_sample);
    QVERIFY(timing.total.least() < 1e-6);
    QCOMPARE(timing.steps[0].seconds, timing.total.seconds);
  }

  void each_step_has_its_own_time() {
    using namespace std::chrono_literals;
    auto step = [](size_t index) {
      if (index == 1) std::this_thread::sleep_for(3ms);
      return 0;
    };
    Timing timing = time_steps(3, step, {.repeats = 3}).value();
    QCOMPARE(timing.runs_per_sample, int64_t(1));
    QVERIFY(timing.steps[1].least() >= 3e-3);
    QVERIFY(timing.steps[0].least() < 1e-3);
    QVERIFY(timing.total.least() >= timing.steps[1].least());
  }

  void no_sample_begins_after_the_time_given() {
    using namespace std::chrono_literals;
    auto step = [](size_t) {
      std::this_thread::sleep_for(20ms);
      return 0;
    };
    Timing timing = time_steps(1, step, {.repeats = 1000, .most_seconds = 0.1}).value();
    QVERIFY(timing.total.seconds.size() < 10);
  }

  void steps_with_a_clock_of_their_own_run_once_and_take_what_it_says() {
    int calls = 0;
    double clock = 7;  // of what was before
    auto step = [&](size_t index) {
      ++calls;
      clock = index == 0 ? 2.0 : 0.5;
      return 0;
    };
    auto own = [&]() -> std::optional<double> { return std::exchange(clock, 0.0); };
    Timing timing = time_steps(2, step, {.repeats = 9}, {}, own).value();
    QCOMPARE(calls, 2);
    QVERIFY(timing.by == TimedBy::kSimulator);
    QCOMPARE(timing.total.seconds, std::vector<double>{2.5});
    QCOMPARE(timing.steps[0].seconds, std::vector<double>{2.0});
    QCOMPARE(timing.steps[1].seconds, std::vector<double>{0.5});
    auto failing = time_steps(
        1, [](size_t) { return 3; }, {}, {}, own);
    QCOMPARE(QString::fromStdString(failing.error().code), QString("kernel_failed"));
    auto none = []() -> std::optional<double> { return std::nullopt; };
    QCOMPARE(time_steps(2, step, {.repeats = 3}, {}, none)->total.seconds.size(), size_t(3));
  }

  void times_are_read_from_the_clock_that_was_given() {
    // A device's: steps only give it work, and its time goes on with that alone.
    struct OfDevice final : StepClock {
      double now = 0;
      std::map<size_t, double> moments;
      int marks = 0, most_marks = 1000;
      TimedBy by() const override { return TimedBy::kDevice; }
      Status mark(size_t index) override {
        if (++marks > most_marks) return environment_failed("device_lost", "the device is gone");
        moments[index] = now;
        return {};
      }
      Result<double> between(size_t from, size_t to) override {
        return moments.at(to) - moments.at(from);
      }
    } clock;
    auto step = [&](size_t index) {
      clock.now += index == 0 ? 2.0 : 0.5;
      return 0;
    };
    Timing several = time_steps(2, step, {.repeats = 3, .most_seconds = 5}, {}, {}, &clock).value();
    QVERIFY(several.by == TimedBy::kDevice);
    QCOMPARE(several.total.seconds, std::vector<double>(3, 2.5));
    QCOMPARE(several.steps[0].seconds, std::vector<double>(3, 2.0));
    QCOMPARE(several.steps[1].seconds, std::vector<double>(3, 0.5));
    QVERIFY(clock.moments.size() <= step_moments(2));
    Timing one = time_steps(1, step, {.repeats = 2}, {}, {}, &clock).value();
    QCOMPARE(one.total.seconds, std::vector<double>(2, 2.0));
    clock.marks = 0;
    clock.most_marks = 3;
    auto lost = time_steps(2, step, {}, {}, {}, &clock);
    QCOMPARE(QString::fromStdString(lost.error().code), QString("device_lost"));
    QVERIFY(time_steps(1, step, {.repeats = 1}).value().by == TimedBy::kHost);
  }

  void a_failing_step_ends_the_measurement() {
    auto failing = time_steps(2, [](size_t index) { return int32_t(index) * 9; }, {});
    QCOMPARE(QString::fromStdString(failing.error().code), QString("kernel_failed"));
    QVERIFY(failing.error().message.find("9") != std::string::npos);
  }

  void the_speed_probe_takes_tens_of_microseconds() {
    double least = 1;
    for (int i = 0; i < 20; ++i) {
      auto start = std::chrono::steady_clock::now();
      QVERIFY(probe_speed() > 0);
      std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      least = std::min(least, took.count());
    }
    qInfo("%.1f us", least * 1e6);
    QVERIFY(least > 1e-6 && least < 200e-6 * (testing::kSanitized ? 20 : 1));
  }
};

QTEST_GUILESS_MAIN(TimerTest)
#include "timer_test.moc"
