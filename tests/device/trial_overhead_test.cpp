// What a trial takes besides compiling and the kernel's own runs: to a child process, over
// loopback, and over a line on which every byte takes five milliseconds.
#include <QtTest>

#include "engine/device/local_device.h"
#include "engine/device/rpc/remote_device.h"
#include "tests/device/device_bench.h"
#include "tests/device/slow_line.h"
#include "tests/device/test_server.h"
#include "tests/support/figures.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace std::chrono_literals;

namespace {

constexpr TimingOptions kOneRun{
    .warm_up = 0, .repeats = 1, .min_sample_seconds = 0, .most_seconds = 1};

/// Trials of a kernel of less than a microsecond.
struct TrialBench {
  explicit TrialBench(std::unique_ptr<WireDevice> made) : bench(std::move(made)) {
    prepared = bench.prepare();
    if (!prepared) return;
    library = test::build_library(test::common_kernels()).value();
    low = put_tensor(bench.device, test::ramp(1024, 1.5f), bench.options).value();
    high = put_tensor(bench.device, test::ramp(1024, 1.6f), bench.options).value();
    step = bench.step("add", {bench.a, bench.b, bench.c});
    output = {{bench.c}, DType::kF32, 1024, {low}, {high}};
  }
  test::Bench bench;
  Status prepared;
  std::vector<std::byte> library;
  TensorHandle low, high;
  DeviceStep step;
  LimitedOutput output;

  /// Milliseconds of each of so many, one after the other.
  Samples one_by_one(int count) {
    Samples took;
    for (int i = 0; i < count; ++i) {
      QElapsedTimer clock;
      clock.start();
      auto answer =
          bench.device.attempt(library, step, std::span(&output, 1), 1, kOneRun, bench.options);
      if (!answer || answer->wrong_output >= 0) qFatal("the trial failed");
      took.seconds.push_back(double(clock.nsecsElapsed()) * 1e-6);
    }
    return took;
  }
  /// Of each of so many, in calls of `each`.
  double together(int count, size_t each) {
    std::vector<TrialCall> calls(each, TrialCall{library, step});
    QElapsedTimer clock;
    clock.start();
    int told = 0;
    auto take = [&](Result<TrialAnswer> const& answer) {
      told += answer && answer->wrong_output < 0;
    };
    for (int made = 0; made < count; made += int(each))
      if (Status done = bench.device.attempt_each(calls, std::span(&output, 1), 1, kOneRun,
                                                  bench.options, take);
          !done)
        qFatal("%s", done.error().message.c_str());
    if (told != count) qFatal("%d answers of %d", told, count);
    return double(clock.nsecsElapsed()) * 1e-6 / count;
  }
};

}  // namespace

class TrialOverheadTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    server_ = std::make_unique<test::TestServer>(QStringList{"--no-token"});
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
  }

  void a_trial_costs_less_than_a_millisecond_on_loopback() {
    TrialBench here(std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")}));
    TrialBench there(RemoteDevice::create({.address = server_->address()}).value());
    QVERIFY(here.prepared && there.prepared);
    for (auto [name, bench] : {std::pair("a child process", &here), {"loopback", &there}}) {
      Samples took = bench->one_by_one(200);
      qInfo("%s: a trial with a library of %zu bytes: median %.3f ms, least %.3f ms", name,
            bench->library.size(), took.median(), took.least());
      QVERIFY(testing::is_bearable("a trial without a kernel", took.least(), 1));
      qInfo("%s: eight in a call: %.3f ms each", name, bench->together(200, 8));
    }
  }

  void over_a_slow_line() {
    test::SlowLine line(server_->port(), 5ms);
    TrialBench there(RemoteDevice::create({.address = line.address()}).value());
    QVERIFY(there.prepared);
    Samples took = there.one_by_one(30);
    qInfo("5 ms each way: median %.2f ms, least %.2f ms", took.median(), took.least());
    QVERIFY(took.least() >= 10);
    double each = there.together(80, 8);
    qInfo("eight in a call: %.2f ms each", each);
    QVERIFY(each < 0.5 * took.median());
  }

private:
  std::unique_ptr<test::TestServer> server_;
};

QTEST_GUILESS_MAIN(TrialOverheadTest)
#include "trial_overhead_test.moc"
