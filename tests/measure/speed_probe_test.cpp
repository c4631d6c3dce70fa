// A burst of arithmetic says whether others use the processors.
#include "engine/measure/speed_probe.h"
#include "engine/device/messages.pb.h"
#include "engine/device/requests/status.h"

#include <QtTest>

using namespace tw;

namespace {

/// Runs nothing; a burst takes as long as the test says.
class PretendedDevice : public Device {
public:
  double seconds = 1e-3;
  bool lost = false;
  int loads = 0, frees = 0;

  Result<Hardware> describe(CallOptions const&) override { return Hardware{}; }
  Result<wire::Response> ask(wire::Request const&, CallOptions const&) override {
    wire::Response response;
    response.mutable_status()->set_load(-1);
    return response;
  }
  Result<TensorHandle> allocate(int64_t, CallOptions const&) override { return TensorHandle{}; }
  Status write(TensorHandle const&, int64_t, std::span<std::byte const>,
               CallOptions const&) override {
    return {};
  }
  Status read(TensorHandle const&, int64_t, std::span<std::byte>, CallOptions const&) override {
    return {};
  }
  Status free(TensorHandle const&) override { return ++frees, Status(); }
  Result<LibraryHandle> load(std::span<std::byte const>, CallOptions const&) override {
    ++loads;
    return LibraryHandle{};
  }
  Result<LibraryHandle> load_network(LibraryHandle const&, std::string const&,
                                     CallOptions const&) override {
    return LibraryHandle{};
  }
  Status free(LibraryHandle const&) override { return ++frees, Status(); }
  Status run(std::span<DeviceStep const>, int, CallOptions const&) override { return {}; }
  Result<Timing> time(std::span<DeviceStep const>, int, TimingOptions const& timing_options,
                      CallOptions const&) override {
    if (std::exchange(lost, false)) return environment_failed("device_restarted", "it was lost");
    Timing timing;
    timing.total.seconds.assign(size_t(timing_options.repeats), seconds);
    return timing;
  }
};

RoofProbes probes() {
  RoofProbes probes;
  probes.compute = {{"burst", "vector", "f32", {"burst", 1000}}};
  return probes;
}

}  // namespace

class SpeedProbeTest : public QObject {
  Q_OBJECT
private slots:
  void a_burst_that_is_slower_than_the_best_says_that_others_run() {
    PretendedDevice device;
    SpeedProbe probe(device, probes(), 2);
    double alone = probe.speed({}).value();
    QVERIFY(probe.is_quiet(alone));
    device.seconds = 2e-3;
    double shared = probe.speed({}).value();
    QCOMPARE(shared, alone / 2);
    QVERIFY(!probe.is_quiet(shared));
    device.seconds = 1.05e-3;
    QVERIFY(probe.is_quiet(probe.speed({}).value()));
    QCOMPARE(device.loads, 1);
  }

  /// Busy from the first moment: the roof that was measured another day is the best.
  void a_roof_that_was_reached_before_counts() {
    PretendedDevice device;
    SpeedProbe probe(device, probes(), 1);
    double now = probe.speed({}).value();
    probe.know(2 * now);
    QVERIFY(!probe.is_quiet(now));
  }

  void it_goes_on_after_the_device_was_restarted_and_leaves_nothing_there() {
    PretendedDevice device;
    {
      SpeedProbe probe(device, probes(), 1);
      QVERIFY(probe.speed({}));
      device.lost = true;
      QVERIFY(probe.speed({}));
      QCOMPARE(device.loads, 2);
    }
    QCOMPARE(device.frees, 2);  // what it held before went with the device
  }
};

QTEST_APPLESS_MAIN(SpeedProbeTest)
#include "speed_probe_test.moc"
