// Devices that slow down in the middle of a search: what they measure then decides nothing, and
// they take part again at their old speed. Times are made up, by what was compiled.
#include <QtTest>

#include <set>

#include "engine/device/local_device.h"
#include "engine/tuner/tune.h"
#include "tests/support/compiled.h"
#include "tests/support/paths.h"
#include "tests/support/random_schedules.h"
#include "tests/tuner/troubled_device.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;
using namespace tw::testing;

class SlowDeviceTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    for (auto& local : locals_)
      local = std::make_unique<LocalDevice>(
          LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
    kernel_ = kernel_of(kProduct);
    Rng rng(3);
    inputs_ = random_inputs(kernel_, rng);
    expected_ = expected_of(kernel_, inputs_);
  }

  void a_speed_is_slow_beside_the_best_that_was_seen() {
    using Verdict = DeviceSpeed::Verdict;
    DeviceSpeed speed;
    QVERIFY(!speed.known() && speed.judge(0) == Verdict::kGood && !speed.known());
    QVERIFY(speed.judge(3.9) == Verdict::kGood && speed.judge(4) == Verdict::kGood);
    QVERIFY(speed.judge(3.1) == Verdict::kGood && speed.judge(2.9) == Verdict::kSlow);
    speed.judge(2);
    QCOMPARE(speed.sentence(), std::string("it throttled to 50 % of its initial speed"));
    speed.settle(2, 0.4);
    QVERIFY(speed.judge(1.9) == Verdict::kGood && speed.scale() == 0.4);
    QVERIFY(speed.judge(1.4) == Verdict::kSlow);
    QVERIFY(speed.judge(3.5) == Verdict::kRegained && speed.scale() == 1);
    QVERIFY(speed.judge(3.5) == Verdict::kGood && speed.judge(2) == Verdict::kSlow);
  }

  void what_a_slowed_device_measures_counts_for_nothing_and_it_comes_back() {
    TroubledDevice steady(*locals_[0]), hot(*locals_[1]);
    for (TroubledDevice* one : {&steady, &hot}) one->in_one_call = true;
    steady.speed = [](int) { return 1.0; };
    hot.speed = [](int look) { return look > 4 && look < 9 ? 0.5 : 1.0; };
    steady.pace = std::chrono::milliseconds(20);  // it has not made all when the other is back
    TuneResult result = searched({&steady, &hot}, {.trials = 60});
    QCOMPARE(result.attempts.size(), size_t(60));
    QVERIFY(are_of_full_speed(result));
    QCOMPARE(result.devices[1].slowed, 1);
    QCOMPARE(result.devices[1].lost, 0);
    QVERIFY2(result.devices[1].reason.empty(), result.devices[1].reason.c_str());
    QVERIFY(result.devices[1].trials > 5);  // more than before it was slow
    std::set<std::string> scripts;
    for (Attempt const& attempt : result.attempts) scripts.insert(attempt.script);
    QCOMPARE(scripts.size(), size_t(60));  // nothing was lost, nothing made twice
  }

  void one_that_stays_slow_is_out_with_the_reason() {
    TroubledDevice steady(*locals_[0]), hot(*locals_[1]);
    for (TroubledDevice* one : {&steady, &hot}) one->in_one_call = true;
    steady.speed = [](int) { return 1.0; };
    steady.pace = std::chrono::milliseconds(5);
    hot.speed = [](int look) { return look > 4 ? 0.5 : 1.0; };
    TuneResult result = searched({&steady, &hot}, {.trials = 40, .slow_seconds = 0.1});
    QVERIFY(are_of_full_speed(result));
    QCOMPARE(result.devices[1].reason, std::string("it throttled to 50 % of its initial speed"));
    QVERIFY(result.devices[1].trials <= 3);
  }

  /// It cannot wait for ever: what was best before is measured again and says the factor.
  void the_only_device_settles_and_its_samples_are_as_of_the_old_speed() {
    TroubledDevice hot(*locals_[0]);
    hot.in_one_call = true;
    hot.speed = [](int look) { return look > 6 && look < 40 ? 0.5 : 1.0; };
    QElapsedTimer clock;
    clock.start();
    TuneResult result = searched({&hot}, {.trials = 50, .slow_seconds = 0.2});
    QCOMPARE(result.attempts.size(), size_t(50));
    QVERIFY(are_of_full_speed(result));
    QVERIFY(result.devices[0].slowed >= 1 && result.devices[0].reason.empty());
    QVERIFY(hot.looks > 45);
    QVERIFY(clock.elapsed() < 60'000);
  }

  /// Also those that go to it together.
  void a_distant_device_that_settled_says_several_times_as_of_the_old_speed() {
    TroubledDevice hot(*locals_[0]);
    hot.in_one_call = true;
    hot.trip = std::chrono::milliseconds(20);
    hot.speed = [](int look) { return look > 6 ? 0.5 : 1.0; };
    TuneResult result = searched({&hot}, {.trials = 60, .slow_seconds = 0.2});
    QCOMPARE(result.attempts.size(), size_t(60));
    QVERIFY(result.devices[0].slowed >= 1);
    QVERIFY(hot.calls_of_several > 4);
    QVERIFY(are_of_full_speed(result));
  }

  void a_moment_of_slowness_is_measured_again() {
    TroubledDevice nervous(*locals_[0]);
    nervous.in_one_call = true;
    nervous.speed = [](int look) { return look % 3 == 2 ? 0.4 : 1.0; };
    TuneResult result = searched({&nervous}, {.trials = 20});
    QVERIFY(are_of_full_speed(result));
    QCOMPARE(result.devices[0].slowed, 0);
    QVERIFY(nervous.looks >= 28);
  }

  /// What a device knows of itself from one kernel holds for the next.
  void a_device_that_is_slow_when_a_kernel_begins_is_known_from_the_last_one() {
    TroubledDevice steady(*locals_[0]), hot(*locals_[1]);
    for (TroubledDevice* one : {&steady, &hot}) one->in_one_call = true;
    steady.speed = [](int) { return 1.0; };
    hot.speed = [](int) { return 1.0; };
    auto speeds = std::make_shared<std::map<size_t, DeviceSpeed>>();
    (void)searched({&steady, &hot}, {.trials = 12, .speeds = speeds});
    hot.speed = [](int) { return 0.5; };
    TuneResult result = searched({&steady, &hot}, {.trials = 12, .speeds = speeds});
    QVERIFY(are_of_full_speed(result));
    QCOMPARE(result.devices[1].trials, 0);
  }

private:
  TuneResult searched(std::vector<Device*> const& devices, TuneOptions options) {
    options.search = "random";
    auto tuning =
        KernelTuning::create(space_of(kProduct), devices, inputs_, expected_, options).value();
    auto end = tuning->search(options.trials, 0);
    if (!end) qWarning("%s", end.error().message.c_str());
    return tuning->finish().value();
  }
  /// No time is one that only a slow device measures.
  static bool are_of_full_speed(TuneResult const& result) {
    for (Attempt const& attempt : result.attempts) {
      if (attempt.outcome == records::Outcome::kOk && attempt.seconds.at(0) < 1.401e-3 &&
          attempt.seconds.at(0) > 0.999e-3)
        continue;
      qWarning("trial %d: %s %s", attempt.number, attempt.sentence.c_str(),
               attempt.seconds.empty() ? "" : std::to_string(attempt.seconds[0]).c_str());
      return false;
    }
    return true;
  }

  std::unique_ptr<LocalDevice> locals_[2];
  te::Kernel kernel_;
  std::vector<NDArray> inputs_;
  te::Expected expected_;
};

QTEST_GUILESS_MAIN(SlowDeviceTest)
#include "slow_device_test.moc"
