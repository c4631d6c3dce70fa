// Several candidates in one call: each answered as it ends, here and on a server; and what is left
// where the worker, the server or the line ends in the middle.
#include <signal.h>

#include <QtTest>
#include <thread>

#include "engine/device/local_device.h"
#include "engine/device/requests/status.h"
#include "engine/device/rpc/remote_device.h"
#include "tests/device/cut_line.h"
#include "tests/device/device_bench.h"
#include "tests/device/test_server.h"
#include "tests/support/figures.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace std::chrono_literals;

class SeveralTrialsTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    server_ = std::make_unique<test::TestServer>(QStringList{"--no-token"});
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
  }

  void several_candidates_are_answered_one_by_one_each_for_itself_data() { places(); }
  void several_candidates_are_answered_one_by_one_each_for_itself() {
    QFETCH(bool, remote);
    test::Bench bench(make_device(remote));
    QVERIFY(bench.prepare());
    static auto const library = test::build_library(test::common_kernels()).value();
    TensorHandle low = put_tensor(bench.device, test::ramp(1024, 1.5f), bench.options).value();
    TensorHandle high = put_tensor(bench.device, test::ramp(1024, 1.6f), bench.options).value();
    LimitedOutput output{{bench.c}, DType::kF32, 1024, {low}, {high}};
    TrialCall right{library, bench.step("add", {bench.a, bench.b, bench.c})},
        wrong{library, bench.step("scale", {bench.a, bench.c})},
        missing{library, bench.step("missing", {})}, crashes{library, bench.step("crash", {})},
        hangs{library, bench.step("hang", {bench.a})};
    QStringList told;
    auto tried = [&](std::vector<TrialCall> const& calls) {
      told.clear();
      TimingOptions timing_options{.warm_up = 0, .repeats = 2};
      return bench.device.attempt_each(
          calls, std::span(&output, 1), 1, timing_options, bench.options,
          [&](Result<TrialAnswer> const& answer) {
            told.append(!answer                     ? QString::fromStdString(answer.error().code)
                        : answer->wrong_output >= 0 ? "wrong"
                                                    : QString::number(answer->speed.size()));
          });
    };
    DeviceHolding before = ask_status(bench.device, bench.options).value().holding;
    QVERIFY(tried({right, wrong, missing, right}));
    QCOMPARE(told, (QStringList{"2", "wrong", "symbol_not_found", "2"}));
    QVERIFY(tried({right, missing}));
    QCOMPARE(told, (QStringList{"2", "symbol_not_found"}));
    QVERIFY(tried({}) && told.isEmpty());
    QVERIFY(ask_status(bench.device, bench.options).value().speed > 0);
    QCOMPARE(ask_status(bench.device, bench.options).value().holding, before);
    QCOMPARE(test::code_of(tried(std::vector<TrialCall>(65, right))), QString("bad_trial"));
    // What came before the process ended is told, and the call says how it ended.
    QCOMPARE(test::code_of(tried({right, right, crashes, right})), QString("kernel_crashed"));
    QCOMPARE(told, (QStringList{"2", "2"}));
    QCOMPARE(test::code_of(tried({right, right})), QString("device_restarted"));
    QVERIFY(told.isEmpty());
    QVERIFY(bench.prepare());
    low = put_tensor(bench.device, test::ramp(1024, 1.5f), bench.options).value();
    high = put_tensor(bench.device, test::ramp(1024, 1.6f), bench.options).value();
    output = {{bench.c}, DType::kF32, 1024, {low}, {high}};
    right.step = bench.step("add", {bench.a, bench.b, bench.c});
    hangs.step = bench.step("hang", {bench.a});
    std::stop_source source;
    bench.options.stop = source.get_token();
    std::jthread stopper([&] {
      std::this_thread::sleep_for(200ms);
      source.request_stop();
    });
    QCOMPARE(test::code_of(tried({right, hangs, right})), QString("cancelled"));
    QCOMPARE(told, QStringList{"2"});
  }

  void a_worker_that_is_killed_in_the_middle_of_several_leaves_what_was_told_data() { places(); }
  /// Nothing is told twice, and whoever asked knows at once what is left.
  void a_worker_that_is_killed_in_the_middle_of_several_leaves_what_was_told() {
    QFETCH(bool, remote);
    test::Bench bench(make_device(remote));
    QVERIFY(bench.prepare());
    static auto const library = test::build_library(test::common_kernels()).value();
    TensorHandle low = put_tensor(bench.device, test::ramp(1024, 1.5f), bench.options).value();
    TensorHandle high = put_tensor(bench.device, test::ramp(1024, 1.6f), bench.options).value();
    LimitedOutput output{{bench.c}, DType::kF32, 1024, {low}, {high}};
    std::vector<TrialCall> calls(
        40, TrialCall{library, bench.step("add", {bench.a, bench.b, bench.c})});
    TimingOptions timing_options{.warm_up = 0, .repeats = 2, .min_sample_seconds = 20e-3};
    int told = 0;
    QElapsedTimer since_killed;
    Status done = bench.device.attempt_each(
        calls, std::span(&output, 1), 1, timing_options, bench.options,
        [&](Result<TrialAnswer> const& answer) {
          QVERIFY(answer && answer->wrong_output < 0);
          if (++told != 3) return;
          since_killed.start();
          ::kill(remote ? server_->workers().back() : local_->child(), SIGKILL);
        });
    QCOMPARE(test::code_of(done), QString("device_lost"));
    QVERIFY(
        testing::is_bearable("a killed worker is missed", double(since_killed.elapsed()), 1000));
    QVERIFY(told >= 3 && told <= 5);
    QVERIFY(bench.prepare());
  }

  void a_server_that_is_killed_or_a_line_that_is_cut_leaves_what_was_told_data() {
    QTest::addColumn<bool>("kills");
    QTest::newRow("server killed") << true;
    QTest::newRow("line cut") << false;
  }
  void a_server_that_is_killed_or_a_line_that_is_cut_leaves_what_was_told() {
    QFETCH(bool, kills);
    test::CutLine line(server_->port());
    test::Bench bench(RemoteDevice::create({.address = line.address()}).value());
    QVERIFY(bench.prepare());
    static auto const library = test::build_library(test::common_kernels()).value();
    TensorHandle low = put_tensor(bench.device, test::ramp(1024, 1.5f), bench.options).value();
    TensorHandle high = put_tensor(bench.device, test::ramp(1024, 1.6f), bench.options).value();
    LimitedOutput output{{bench.c}, DType::kF32, 1024, {low}, {high}};
    std::vector<TrialCall> calls(
        40, TrialCall{library, bench.step("add", {bench.a, bench.b, bench.c})});
    TimingOptions timing_options{.warm_up = 0, .repeats = 2, .min_sample_seconds = 20e-3};
    int told = 0;
    QElapsedTimer since_ended;
    Status done = bench.device.attempt_each(calls, std::span(&output, 1), 1, timing_options,
                                            bench.options, [&](Result<TrialAnswer> const& answer) {
                                              QVERIFY(answer && answer->wrong_output < 0);
                                              if (++told != 3) return;
                                              since_ended.start();
                                              kills ? server_->process().kill() : line.cut();
                                            });
    QVERIFY(!done);
    QVERIFY(testing::is_bearable("a server that is gone is missed", double(since_ended.elapsed()),
                                 1000));
    QVERIFY(told >= 3 && told <= 6);
  }

private:
  static void places() {
    QTest::addColumn<bool>("remote");
    QTest::newRow("here") << false;
    QTest::newRow("on a server") << true;
  }
  std::unique_ptr<WireDevice> make_device(bool remote) {
    if (remote) return RemoteDevice::create({.address = server_->address()}).value();
    auto local = std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
    local_ = local.get();
    return local;
  }
  std::unique_ptr<test::TestServer> server_;
  LocalDevice* local_ = nullptr;
};

QTEST_GUILESS_MAIN(SeveralTrialsTest)
#include "several_trials_test.moc"
