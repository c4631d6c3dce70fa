// Devices that a call takes a while to reach: several candidates go there at once, and what became
// of each is the same as one by one, also where the device is lost in the middle.
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
using namespace std::chrono_literals;

class SeveralTrialsTest : public QObject {
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

  void a_distant_device_takes_several_at_once() {
    TroubledDevice near(*locals_[0]), far(*locals_[1]);
    near.in_one_call = far.in_one_call = true;
    far.trip = 20ms;
    QVERIFY(searched({&near}, 40).attempts.size() == 40);
    QCOMPARE(near.calls_of_several, 0);
    QElapsedTimer clock;
    clock.start();
    TuneResult result = searched({&far}, 100);
    qInfo("100 trials at 20 ms for each call: %lld ms, %d calls of several",
          static_cast<long long>(clock.elapsed()), far.calls_of_several.load());
    QVERIFY(are_different_and_right(result, 100));
    QVERIFY(far.calls_of_several >= 8);
    // Each as good as alone: the best of all is what the last comparison begins with.
    double least = 1;
    for (Attempt const& attempt : result.attempts) {
      least = std::min(least, std::ranges::min(attempt.seconds));
      QCOMPARE(attempt.best_seconds, least);
    }
  }

  void what_is_wrong_among_several_is_found_out() {
    TroubledDevice far(*locals_[0]);
    far.in_one_call = true;
    far.trip = 20ms;
    int wrong = 0;
    far.says_wrong = [](double seconds) { return int(seconds * 1e6) % 5 == 0; };
    far.lies = [&](int) { return far.said_wrong.load(); };  // the judge here sees the same
    TuneResult result = searched({&far}, 60);
    QCOMPARE(result.attempts.size(), size_t(60));
    QVERIFY(far.calls_of_several > 0);
    for (Attempt const& attempt : result.attempts) {
      bool is_wrong = attempt.outcome == records::Outcome::kWrong;
      wrong += is_wrong;
      QVERIFY(is_wrong || attempt.outcome == records::Outcome::kOk);
      QCOMPARE(attempt.sentence.find("largest difference") != std::string::npos, is_wrong);
    }
    QVERIFY2(wrong >= 3 && wrong <= 40, qPrintable(QString::number(wrong)));
  }

  /// In the middle of a call of several: all of them go to the other device within a second.
  void what_a_lost_device_had_is_made_by_another() {
    TroubledDevice steady(*locals_[0]), far(*locals_[1]);
    steady.in_one_call = far.in_one_call = true;
    far.trip = 20ms;
    steady.pace = 30ms;
    far.changes = [](int, TrialAnswer& answer) { answer.samples.seconds = {1e-3}; };
    std::atomic<qint64> lost_at = 0;
    QElapsedTimer clock;
    clock.start();
    far.is_lost = [&](int attempt) {
      bool lost = attempt >= 20;
      if (lost && lost_at == 0) lost_at = clock.elapsed();
      return lost;
    };
    std::map<std::string, qint64> made;
    TuneOptions options{.trials = 120, .search = "random"};
    options.on_attempt = [&](Attempt const& attempt) { made[attempt.script] = clock.elapsed(); };
    auto tuning =
        KernelTuning::create(space_of(kProduct), {&steady, &far}, inputs_, expected_, options)
            .value();
    QVERIFY(tuning->search(120, 0));
    TuneResult result = tuning->finish().value();
    QVERIFY(are_different_and_right(result, 120));
    QCOMPARE(result.devices[1].lost, 1);
    QCOMPARE(result.devices[0].trials + result.devices[1].trials, 120);
    // What it gave back is what the other one makes next: eight at most, of 30 ms each.
    QVERIFY(lost_at > 0);
    int next = 0;
    for (auto const& [script, at] : made) next += at > lost_at && at < lost_at + 1000;
    QVERIFY2(next >= 8, qPrintable(QString::number(next)));
  }

  /// The other one is done with all that it could take when the last candidate comes back.
  void the_last_candidate_of_a_device_that_never_answers_again_is_made_by_another() {
    TroubledDevice steady(*locals_[0]), weak(*locals_[1]);
    steady.in_one_call = weak.in_one_call = true;
    weak.is_lost = [](int) {
      std::this_thread::sleep_for(700ms);
      return true;
    };
    QElapsedTimer clock;
    clock.start();
    TuneResult result = searched({&steady, &weak}, 6);
    QVERIFY(are_different_and_right(result, 6));
    QCOMPARE(result.devices[0].trials, 6);
    QVERIFY2(clock.elapsed() < 20'000, qPrintable(QString::number(clock.elapsed())));
  }

private:
  TuneResult searched(std::vector<Device*> const& devices, int trials) {
    TuneOptions options{.trials = trials, .search = "random"};
    auto tuning =
        KernelTuning::create(space_of(kProduct), devices, inputs_, expected_, options).value();
    auto end = tuning->search(trials, 0);
    if (!end) qWarning("%s", end.error().message.c_str());
    for (auto* device : devices) static_cast<TroubledDevice*>(device)->lies = {};
    return tuning->finish().value();
  }
  static bool are_different_and_right(TuneResult const& result, size_t count) {
    std::set<std::string> scripts;
    for (Attempt const& attempt : result.attempts) {
      scripts.insert(attempt.script);
      if (attempt.outcome != records::Outcome::kOk)
        qWarning("trial %d: %s", attempt.number, attempt.sentence.c_str());
      if (attempt.outcome != records::Outcome::kOk) return false;
    }
    return scripts.size() == count && result.attempts.size() == count;
  }

  std::unique_ptr<LocalDevice> locals_[2];
  te::Kernel kernel_;
  std::vector<NDArray> inputs_;
  te::Expected expected_;
};

QTEST_GUILESS_MAIN(SeveralTrialsTest)
#include "several_trials_test.moc"
