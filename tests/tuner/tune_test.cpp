// The tuner's loop on this machine's device: right results only, never slower than the rule, and
// what goes wrong on the way is counted by its kind.
#include <QtTest>
#include <atomic>
#include <set>
#include <thread>

#include "engine/device/local_device.h"
#include "engine/device/messages.pb.h"
#include "engine/tuner/model/point_model.h"
#include "engine/tuner/tune.h"
#include "tests/support/compiled.h"
#include "tests/support/paths.h"
#include "tests/support/random_schedules.h"
#include "tests/tuner/troubled_device.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;
using namespace tw::testing;

class TuneTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    device_ = std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
    kernel_ = kernel_of(kProduct);
    Rng rng(3);
    inputs_ = random_inputs(kernel_, rng);
    expected_ = expected_of(kernel_, inputs_);
  }

  void a_tuned_schedule_is_right_and_not_slower_than_the_rule() {
    Space space = space_of(kProduct);
    int told = 0;
    TuneOptions options{.trials = 30, .on_attempt = [&](Attempt const&) { ++told; }};
    TuneResult result = tune(space, *device_, inputs_, expected_, options).value();
    QCOMPARE(result.attempts.size(), size_t(30));
    QCOMPARE(told, 30);
    QVERIFY(result.end == TuneEnd::kTrials);
    QVERIFY(result.seconds > 0 && result.seconds <= result.rule_seconds * 1.05);
    // What is called the best is what the point and the script say.
    QCOMPARE(space.at(result.point).value().schedule.script(), result.script);
    double least = 1e9;
    for (Attempt const& attempt : result.attempts) {
      QVERIFY2(attempt.outcome == records::Outcome::kOk, attempt.sentence.c_str());
      least = std::min(least, std::ranges::min(attempt.seconds));
      QCOMPARE(attempt.best_seconds, least);
    }
    qInfo("%.1f trials a second, best %.1f us, by rule %.1f us", 30 / result.wall_seconds,
          result.seconds * 1e6, result.rule_seconds * 1e6);
  }

  void what_computes_something_else_is_never_the_result() {
    TroubledDevice device(*device_);
    // All but the schedule by rule answer wrongly, in the search and at its end.
    device.lies = [](int load) { return load > 1 && load <= 20; };
    TuneOptions options{.trials = 20};
    TuneResult result = tune(space_of(kProduct), device, inputs_, expected_, options).value();
    int wrong = 0;
    for (Attempt const& attempt : result.attempts) {
      wrong += attempt.outcome == records::Outcome::kWrong;
      if (attempt.outcome == records::Outcome::kWrong) QVERIFY(attempt.seconds.empty());
    }
    QCOMPARE(wrong, 19);
    QVERIFY(result.point.empty());  // the default stays
  }

  void trouble_is_counted_by_its_kind_and_the_search_goes_on() {
    TroubledDevice device(*device_);
    device.crashes = [](int load) { return load == 3; };
    device.is_lost = [](int load) { return load == 5; };
    TuneOptions options{.trials = 10};
    TuneResult result = tune(space_of(kProduct), device, inputs_, expected_, options).value();
    QVERIFY(result.attempts[2].outcome == records::Outcome::kCrash);
    // KernelBench sends everything once more to a device that was lost.
    int ok = 0;
    for (Attempt const& attempt : result.attempts) ok += attempt.outcome == records::Outcome::kOk;
    QVERIFY(ok >= 8);
    QVERIFY(result.attempts.size() == 10);
  }

  /// A line is cut in the middle: what was on it is tried by another one, nothing is lost, and the
  /// device takes part again when it answers.
  void a_lost_device_gives_its_candidate_back() {
    auto other = std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
    TroubledDevice steady(*device_), weak(*other);
    for (TroubledDevice* one : {&steady, &weak}) {
      one->in_one_call = true;
      one->pace = std::chrono::milliseconds(30);
    }
    weak.is_lost = [](int attempt) { return attempt >= 3 && attempt < 6; };
    std::vector<DeviceWork> works;  // of the weak one
    TuneOptions options{.trials = 40, .on_device = [&](int device, DeviceShare const& share) {
                          if (device == 1) works.push_back(share.work);
                          QCOMPARE(share.reason.empty(), share.work != DeviceWork::kLost);
                        }};
    auto tuning =
        KernelTuning::create(space_of(kProduct), {&steady, &weak}, inputs_, expected_, options)
            .value();
    QVERIFY(tuning->search(40, 0).value() == TuneEnd::kTrials);
    TuneResult result = tuning->finish().value();
    QCOMPARE(result.attempts.size(), size_t(40));
    std::set<std::string> scripts;
    for (Attempt const& attempt : result.attempts) {
      QVERIFY2(attempt.outcome == records::Outcome::kOk, attempt.sentence.c_str());
      scripts.insert(attempt.script);
    }
    QCOMPARE(scripts.size(), size_t(40));
    QCOMPARE(result.devices[1].lost, 1);
    QVERIFY(result.devices[1].reason.empty() && result.devices[1].trials > 2);
    QCOMPARE(result.devices[0].trials + result.devices[1].trials, 40);
    // Who watches sees all of it.
    for (DeviceWork work : {DeviceWork::kCompiling, DeviceWork::kMeasuring, DeviceWork::kLost})
      QVERIFY(std::ranges::count(works, work) > 0);
    auto lost = std::ranges::find(works, DeviceWork::kLost);
    QVERIFY(std::find(lost, works.end(), DeviceWork::kMeasuring) != works.end());
    QVERIFY(works.back() == DeviceWork::kIdle);
  }

  /// The search of these devices ends, with what became of each; nothing is counted that was lost.
  void where_every_device_is_lost_the_search_ends_with_the_reason() {
    TroubledDevice one(*device_), other(*device_);
    int made = 0;
    for (TroubledDevice* device : {&one, &other}) {
      device->in_one_call = true;
      device->is_lost = [](int attempt) { return attempt >= 3; };
    }
    TuneOptions options{.trials = 1000,
                        .device_names = {"one", "other"},
                        .lost_seconds = 0.5,
                        .on_attempt = [&](Attempt const&) { ++made; }};
    auto tuning =
        KernelTuning::create(space_of(kProduct), {&one, &other}, inputs_, expected_, options)
            .value();
    auto end = tuning->search(1000, 0);
    QVERIFY(!end && end.error().code == kNoDevice);
    QVERIFY2(end.error().message.find("one: the line was cut") != std::string::npos &&
                 end.error().message.find("other: the line was cut") != std::string::npos,
             end.error().message.c_str());
    QCOMPARE(tuning->trials(), made);
    QVERIFY(made <= 4);
    // They are back: the same search goes on.
    one.is_lost = other.is_lost = {};
    int before = made;
    QVERIFY(tuning->search(4, 0).value() == TuneEnd::kTrials);
    QCOMPARE(made, before + 4);
  }

  /// What cannot be judged there is judged here.
  void a_device_without_room_for_limits_is_asked_in_calls() {
    TroubledDevice small(*device_);
    small.in_one_call = small.is_small = true;
    TuneOptions options{.trials = 6};
    TuneResult result = tune(space_of(kProduct), small, inputs_, expected_, options).value();
    QCOMPARE(result.attempts.size(), size_t(6));
    QVERIFY(small.attempts == 1);
    for (Attempt const& attempt : result.attempts)
      QVERIFY2(attempt.outcome == records::Outcome::kOk, attempt.sentence.c_str());
  }

  /// Its nanoseconds would win every search.
  void a_device_that_lies_fast_takes_part_no_more() {
    auto other = std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
    TroubledDevice honest(*device_), liar(*other);
    honest.in_one_call = liar.in_one_call = liar.lies_fast = true;
    liar.lies = [](int) { return true; };  // what it reads back is wrong, too
    TuneOptions options{.trials = 20};
    auto tuning =
        KernelTuning::create(space_of(kProduct), {&honest, &liar}, inputs_, expected_, options)
            .value();
    QVERIFY(tuning->search(20, 0));
    TuneResult result = tuning->finish().value();
    QVERIFY(result.devices[1].trials <= 1);
    if (result.devices[1].trials == 1) {
      QCOMPARE(result.devices[1].reason, std::string("it accepted a wrong result"));
      QVERIFY(result.devices[1].work == DeviceWork::kBarred);
      QCOMPARE(std::ranges::count(result.attempts, records::Outcome::kWrong, &Attempt::outcome), 1);
    }
    QVERIFY(result.seconds > 1e-7);
  }

  /// Everything it says is right, but its times are a tenth: it would win every search.
  void a_device_whose_times_are_not_like_the_others_takes_no_part_data() {
    QTest::addColumn<double>("factor");
    QTest::addColumn<int>("others");
    QTest::addColumn<bool>("barred");
    QTest::newRow("a tenth, beside one") << 0.1 << 1 << true;
    QTest::newRow("a tenth, beside two") << 0.1 << 2 << true;
    QTest::newRow("ten times, beside two") << 10.0 << 2 << true;
    QTest::newRow("a fifth more, beside two") << 1.2 << 2 << false;
  }
  void a_device_whose_times_are_not_like_the_others_takes_no_part() {
    QFETCH(double, factor);
    QFETCH(int, others);
    QFETCH(bool, barred);
    std::vector<std::unique_ptr<LocalDevice>> locals;
    std::vector<std::unique_ptr<TroubledDevice>> all;
    std::vector<Device*> devices;
    for (int i = 0; i <= others; ++i) {
      locals.push_back(std::make_unique<LocalDevice>(
          LocalDeviceOptions{.program = testing::built("/bin/tw-device")}));
      all.push_back(std::make_unique<TroubledDevice>(*locals.back()));
      all.back()->in_one_call = true;
      all.back()->speed = [](int) { return 1.0; };  // a trial takes what its library says
      devices.push_back(all.back().get());
    }
    all[0]->changes = [factor](int, TrialAnswer& answer) {  // the first one named
      for (double& seconds : answer.samples.seconds) seconds *= factor;
    };
    auto tuning =
        KernelTuning::create(space_of(kProduct), devices, inputs_, expected_, {.trials = 12})
            .value();
    QVERIFY(tuning->search(12, 0));
    TuneResult result = tuning->finish().value();
    QCOMPARE(result.attempts.size(), size_t(12));
    QCOMPARE(result.devices[0].trials == 0, barred);
    QCOMPARE(result.devices[0].work == DeviceWork::kBarred, barred);
    QCOMPARE(result.devices[0].reason.find("the default schedule takes") == 0, barred);
    for (size_t i = 1; i < devices.size(); ++i) QVERIFY(result.devices[i].reason.empty());
  }

  /// Durations as they were recorded: eight of a kind do what one does in less than a sixth.
  void eight_devices_are_six_times_as_fast() {
    std::vector<std::unique_ptr<LocalDevice>> locals;
    std::vector<std::unique_ptr<TroubledDevice>> paced;
    std::vector<Device*> devices;
    for (int i = 0; i < 8; ++i) {
      locals.push_back(std::make_unique<LocalDevice>(
          LocalDeviceOptions{.program = testing::built("/bin/tw-device")}));
      paced.push_back(std::make_unique<TroubledDevice>(*locals.back()));
      paced.back()->in_one_call = true;
      paced.back()->pace = std::chrono::milliseconds(400);
      devices.push_back(paced.back().get());
    }
    auto trials_a_second = [&](std::vector<Device*> const& some, int trials) {
      TuneOptions options{.trials = trials, .search = "random"};
      auto tuning =
          KernelTuning::create(space_of(kProduct), some, inputs_, expected_, options).value();
      auto start = std::chrono::steady_clock::now();
      (void)tuning->search(trials, 0);
      return trials /
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    double one = trials_a_second({devices[0]}, 6), eight = trials_a_second(devices, 64);
    qInfo("one device %.2f trials a second, eight %.2f: %.2f times", one, eight, eight / one);
    QVERIFY(eight > 6 * one);
  }

  void where_nothing_is_right_there_is_no_result() {
    TroubledDevice device(*device_);
    device.lies = [](int) { return true; };
    TuneOptions options{.trials = 3};
    auto result = tune(space_of(kProduct), device, inputs_, expected_, options);
    QCOMPARE(result.error().code, std::string("nothing_ran"));
  }

  void it_ends_when_the_time_is_over_and_when_it_is_stopped() {
    TuneOptions options{.trials = 1000000, .seconds = 0.5};
    TuneResult result = tune(space_of(kProduct), *device_, inputs_, expected_, options).value();
    QVERIFY(result.end == TuneEnd::kSeconds || result.end == TuneEnd::kConverged);
    std::stop_source stop;
    options.seconds = 0;
    options.stop = stop.get_token();
    options.on_attempt = [&](Attempt const& attempt) {
      if (attempt.number == 4) stop.request_stop();
    };
    auto stopped = tune(space_of(kProduct), *device_, inputs_, expected_, options);
    QVERIFY(!stopped && stopped.error().code == "cancelled");
    // Unlike that, enough is no reason to throw away what was found.
    std::stop_source enough;
    options.stop = {};
    options.enough = enough.get_token();
    options.on_attempt = [&](Attempt const& attempt) {
      if (attempt.number == 4) enough.request_stop();
    };
    TuneResult ended = tune(space_of(kProduct), *device_, inputs_, expected_, options).value();
    QVERIFY(ended.end == TuneEnd::kStopped);
    QCOMPARE(ended.attempts.size(), size_t(4));
    QVERIFY(ended.seconds > 0 && ended.rule_seconds > 0);
  }

  void a_small_space_is_searched_to_its_end() {
    Space space = space_of(kMap);
    te::Kernel kernel = kernel_of(kMap);
    Rng rng(3);
    std::vector<NDArray> inputs = random_inputs(kernel, rng);
    TuneOptions options{.trials = 500, .search = "descent"};
    TuneResult result = tune(space, *device_, inputs, expected_of(kernel, inputs), options).value();
    QVERIFY(result.end == TuneEnd::kConverged);
    QVERIFY(result.attempts.size() < 100);
  }

  void a_cost_model_is_for_a_search_that_learns() {
    Space space = space_of(kProduct);
    TuneOptions options{
        .trials = 24, .search = "random", .learning = {.model = ModelKind::kTreeGru}};
    auto refused = tune(space, *device_, inputs_, expected_, options);
    QCOMPARE(refused.error().code, std::string("no_model_to_choose"));
    options.search = "learned";
    TuneResult result = tune(space, *device_, inputs_, expected_, options).value();
    QVERIFY(result.attempts.size() > 12);  // the later ones were chosen by the network
    QVERIFY(std::ranges::any_of(result.attempts, [](Attempt const& one) {
      return one.number > 12 && one.predicted_seconds.has_value();
    }));
  }

  void a_search_that_was_cut_off_goes_on() {
    Space space = space_of(kProduct);
    auto begin = [&](TuneOptions options) {
      return KernelTuning::create(space, *device_, inputs_, expected_, options).value();
    };
    std::vector<Attempt> before, after;
    TuneOptions options{.trials = 100};
    options.on_attempt = [&](Attempt const& attempt) { before.push_back(attempt); };
    auto first = begin(options);
    QVERIFY(first->search(8, 0).value() == TuneEnd::kTrials);
    QVERIFY(first->search(8, 0).value() == TuneEnd::kTrials);
    QCOMPARE(first->trials(), 16);
    QCOMPARE(int(before.size()), 16);
    first.reset();  // killed here
    std::set<std::string> made;
    for (Attempt const& one : before) {
      made.insert(one.script);
      std::optional<double> seconds;
      if (one.outcome == records::Outcome::kOk) seconds = std::ranges::min(one.seconds);
      options.known.push_back({one.point, seconds});
    }
    options.on_attempt = [&](Attempt const& attempt) { after.push_back(attempt); };
    auto second = begin(options);
    QCOMPARE(second->best_seconds(), before.back().best_seconds);
    QCOMPARE(second->rule_seconds(), std::ranges::min(before[0].seconds));
    QVERIFY(second->search(16, 0).value() == TuneEnd::kTrials);
    QCOMPARE(int(after.size()), 16);
    for (Attempt const& one : after) QVERIFY(!made.contains(one.script));
    TuneResult result = second->finish().value();
    QVERIFY(result.seconds <= result.rule_seconds * 1.05);
  }

  void what_would_be_too_much_code_is_left_out_and_is_no_trial() {
    constexpr char kLarge[] =
        "tilewright te 1\n"
        "kernel large(X: f32[3, 50, 98], W: f32[32, 3, 3, 3]) -> Y\n"
        "  Y[o in 32, y in 48, x in 96] = "
        "sum[c in 3, r in 3, s in 3] X[c, y + r, x + s] * W[o, c, r, s]\n";
    Space space = space_of(kLarge);
    te::Kernel kernel = kernel_of(kLarge);
    Rng rng(4);
    std::vector<NDArray> inputs = random_inputs(kernel, rng);
    TuneOptions options{.trials = 60, .search = "random"};
    TuneResult result = tune(space, *device_, inputs, expected_of(kernel, inputs), options).value();
    for (Attempt const& attempt : result.attempts)
      QVERIFY2(attempt.outcome == records::Outcome::kOk, attempt.sentence.c_str());
    QCOMPARE(int(result.attempts.size()), 60);
    QVERIFY(result.rejected["size of the code"] > 0);
  }

private:
  std::unique_ptr<LocalDevice> device_;
  te::Kernel kernel_;
  std::vector<NDArray> inputs_;
  te::Expected expected_;
};

QTEST_GUILESS_MAIN(TuneTest)
#include "tune_test.moc"
