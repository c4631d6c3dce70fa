// What a device still holds after measurements that were cancelled or failed: nothing of them.
#include <signal.h>

#include <QtTest>
#include <fstream>
#include <thread>

#include "engine/device/local_device.h"
#include "engine/device/messages.pb.h"
#include "engine/device/requests/status.h"
#include "engine/measure/kernel_bench.h"
#include "engine/measure/roofs.h"
#include "engine/support/base/random.h"
#include "engine/te/te.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/compiler/cpu_machine.h"
#include "targets/cpu/compiler/probes.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/support/paths.h"

using namespace tw;

namespace {

constexpr char kMatmul[] =
    "tilewright te 1\n"
    "kernel matmul(A: f32[160, 240], B: f32[240, 400] @param) -> C\n"
    "  C[i in 160, j in 400] = sum[k in 240] A[i, k] * B[k, j]\n";
constexpr char kPacked[] = "tilewright schedule 1\nfor matmul\npack(C, tensor=B, layout=BA16b)\n";

/// A device on which the call of a number fails.
class FailingDevice final : public Device {
public:
  explicit FailingDevice(Device& device) : device_(device) {}
  int fails_at = -1;
  int calls = 0;

  Result<Hardware> describe(CallOptions const& options) override {
    return device_.describe(options);
  }
  Result<wire::Response> ask(wire::Request const& request, CallOptions const& options) override {
    return device_.ask(request, options);
  }
  Result<TensorHandle> allocate(int64_t bytes, CallOptions const& options) override {
    TRY(next());
    return device_.allocate(bytes, options);
  }
  Status write(TensorHandle const& tensor, int64_t offset, std::span<std::byte const> from,
               CallOptions const& options) override {
    TRY(next());
    return device_.write(tensor, offset, from, options);
  }
  Status read(TensorHandle const& tensor, int64_t offset, std::span<std::byte> to,
              CallOptions const& options) override {
    TRY(next());
    return device_.read(tensor, offset, to, options);
  }
  Status free(TensorHandle const& tensor) override { return device_.free(tensor); }
  Result<LibraryHandle> load(std::span<std::byte const> library,
                             CallOptions const& options) override {
    TRY(next());
    return device_.load(library, options);
  }
  Result<LibraryHandle> load_network(LibraryHandle const& library, std::string const& description,
                                     CallOptions const& options) override {
    TRY(next());
    return device_.load_network(library, description, options);
  }
  Status free(LibraryHandle const& library) override { return device_.free(library); }
  Status run(std::span<DeviceStep const> steps, int threads, CallOptions const& options) override {
    TRY(next());
    return device_.run(steps, threads, options);
  }
  Result<Timing> time(std::span<DeviceStep const> steps, int threads,
                      TimingOptions const& timing_options, CallOptions const& options) override {
    TRY(next());
    return device_.time(steps, threads, timing_options, options);
  }

private:
  Status next() {
    if (calls++ != fails_at) return {};
    return refused("kernel_failed", "the call was made to fail");
  }
  Device& device_;
};

int64_t resident_bytes(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096;
}

}  // namespace

class HeldTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    backend_ = create_cpu_backend(detect_host()).value();
    program_ = te::to_program(te::parse_kernel(kMatmul).value()).value();
    code_ = compile_kernel(schedule_program(program_, kPacked, "", *backend_).value(), *backend_,
                           CodeTier::kFull)
                .value();
    QVERIFY(code_.load);  // something is made of the parameter, on the device, too
    inputs_ = random_kernel_inputs(program_.inputs, 1).value();
    device_ = std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
  }

  void init() {
    QCOMPARE(held(), DeviceHolding());
    KernelBench bench(*device_, program_, inputs_);
    QVERIFY(bench.measure(code_, {}));
    QVERIFY(held().tensor_bytes > 500'000 && held().libraries == 0);
    before_ = resident_bytes(device_->child());
  }
  void cleanup() {
    QCOMPARE(held(), DeviceHolding());
    int64_t more = resident_bytes(device_->child()) - before_;
    qInfo("the device's process has %lld KB more than before", static_cast<long long>(more) / 1024);
    QVERIFY(more < 24 << 20);  // the buffers of a few messages, which the allocator keeps
  }

  void two_hundred_cancelled_measurements_leave_nothing() {
    KernelBench bench(*device_, program_, inputs_);
    Rng rng(7);
    uint64_t life = device_->generation();
    int cancelled = 0, restarted = 0;
    for (int i = 0; i < 200; ++i) {
      std::stop_source source;
      BenchOptions options;
      options.timing = {.repeats = 1 << 20, .min_sample_seconds = 1e-4, .most_seconds = 30};
      options.call.stop = source.get_token();
      std::jthread stopper([&source, wait = std::chrono::microseconds(rng.below(8000))] {
        std::this_thread::sleep_for(wait);
        source.request_stop();
      });
      auto stopped = bench.measure(code_, options);
      QVERIFY(!stopped);
      cancelled += stopped.error().code == "cancelled";
      if (device_->generation() != life) ++restarted;
      life = device_->generation();
      QCOMPARE(held(), DeviceHolding());
    }
    QCOMPARE(cancelled, 200);
    QCOMPARE(restarted, 0);  // else the device's end freed what was forgotten
  }

  void two_hundred_failed_measurements_leave_nothing() {
    FailingDevice failing(*device_);
    KernelBench bench(failing, program_, inputs_);
    QVERIFY(bench.measure(code_, {}));
    int calls = failing.calls, kinds = 0;
    for (int i = 0; i < 200; ++i) {
      failing.calls = 0;
      failing.fails_at = i % calls;
      auto failed = bench.measure(code_, {});
      // After a failure everything is sent again: the same calls in the same order.
      QVERIFY(!failed && failed.error().code == "kernel_failed");
      kinds = std::max(kinds, failing.fails_at + 1);
      QCOMPARE(held(), DeviceHolding());
    }
    QCOMPARE(kinds, calls);
    QVERIFY(calls > 10);
  }

  void what_fails_by_itself_leaves_nothing() {
    KernelBench bench(*device_, program_, inputs_);
    KernelCode nameless = code_, not_loaded = code_, no_elf = code_;
    nameless.run.symbol = "nothing";
    not_loaded.load->symbol = "nothing";
    no_elf.run.library.assign(1000, std::byte{7});
    for (auto const& [code, error] :
         {std::pair(&nameless, "symbol_not_found"), std::pair(&not_loaded, "symbol_not_found"),
          std::pair(&no_elf, "module_not_loadable")}) {
      auto failed = bench.measure(*code, {});
      QCOMPARE(QString::fromStdString(failed.error().code), QString(error));
      QCOMPARE(held(), DeviceHolding());
      QVERIFY(!bench.run_checked(*code, {}));
      QCOMPARE(held(), DeviceHolding());
    }
  }

  void a_cancelled_call_that_makes_something_leaves_nothing() {
    for (int i = 0; i < 200; ++i) {
      std::stop_source source;
      CallOptions call{.stop = source.get_token()};
      std::jthread stopper([&source, i] {
        std::this_thread::sleep_for(std::chrono::microseconds(i));
        source.request_stop();
      });
      if (auto library = load_scoped(*device_, code_.run.library, call)) continue;
      QCOMPARE(held(), DeviceHolding());
    }
  }

  void roofs_that_are_stopped_leave_nothing() {
    RoofProbes probes = build_cpu_roof_probes(create_cpu_machine(detect_host()).value(),
                                              detect_host().unit().vector_bytes)
                            .value();
    std::stop_source source;
    RoofOptions options;
    options.stop = source.get_token();
    options.progress = [&](ProgressReport const& report) {
      if (report.done == 1) source.request_stop();
    };
    QVERIFY(!measure_roofs(*device_, detect_host(), probes, options));
  }

  void handles_of_a_device_that_is_gone_start_no_new_one() {
    auto device = std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
    {
      KernelBench bench(*device, program_, inputs_);
      QVERIFY(bench.measure(code_, {}));
      QCOMPARE(kill(device->child(), SIGKILL), 0);
      QTest::qWait(50);
    }
    QCOMPARE(device->generation(), uint64_t(1));
  }

private:
  DeviceHolding held() { return ask_status(*device_, {}).value().holding; }

  std::shared_ptr<Backend const> backend_;
  ir::Program program_;
  KernelCode code_;
  std::vector<NDArray> inputs_;
  std::unique_ptr<LocalDevice> device_;
  int64_t before_ = 0;
};

QTEST_GUILESS_MAIN(HeldTest)
#include "held_test.moc"
