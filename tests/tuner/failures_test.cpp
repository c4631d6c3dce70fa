// Every failure has an owner: what a device, or this machine, could not do is never the kernel's.
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "engine/device/local_device.h"
#include "engine/tuner/failures.h"
#include "engine/tuner/tune.h"
#include "tests/support/compiled.h"
#include "tests/support/paths.h"
#include "tests/support/random_schedules.h"
#include "tests/tuner/troubled_device.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;
using namespace tw::testing;
namespace fs = std::filesystem;

namespace {

Error failed(char const* code) { return {code, "it was injected", {}, Fault::kEnvironment}; }

/// The codes of `environment_failed("...")` below a folder.
std::set<std::string> environment_codes(fs::path const& folder) {
  std::regex const code("environment_failed\\(\\s*\"([a-z_]+)\"");
  std::set<std::string> codes;
  for (auto const& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    std::string text(std::istreambuf_iterator<char>(file), {});
    for (std::sregex_iterator at(text.begin(), text.end(), code), end; at != end; ++at)
      codes.insert((*at)[1]);
  }
  return codes;
}

}  // namespace

class FailuresTest : public QObject {
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

  void each_code_stands_once_in_the_table() {
    std::set<std::string_view> codes;
    for (Failure const& row : failure_table()) {
      QVERIFY2(codes.insert(row.code).second, std::string(row.code).c_str());
      QCOMPARE(row.outcome == records::Outcome::kDeviceLost, row.owner != FailureOwner::kKernel);
    }
  }

  /// But for time-outs, and for what does not fit the device.
  void no_code_of_the_environment_is_the_kernels() {
    std::set<std::string> const kernels = {"kernel_timed_out", "accelerator_timed_out", "timed_out",
                                           "tensor_too_large"};
    int seen = 0;
    for (char const* folder : {"engine/device", "engine/measure", "targets/vta/runtime"})
      for (std::string const& code : environment_codes(fs::path(testing::source()) / folder)) {
        bool device = failure_of_run(failed(code.c_str())).owner == FailureOwner::kDevice;
        QVERIFY2(device != kernels.contains(code), code.c_str());
        ++seen;
      }
    QVERIFY(seen > 15);
  }

  void what_this_machine_cannot_compile_is_its_own() {
    for (char const* code : {"code_generator_missing", "link_failed"})
      QVERIFY(failure_of_code(failed(code)).owner == FailureOwner::kHere);
    // These say that the kernel has no code, whatever their fault.
    for (char const* code : {"unsupported_expression", "code_generation_failed", "out_of_range"})
      QVERIFY(failure_of_code(failed(code)).owner == FailureOwner::kKernel);
    QVERIFY(failure_of_code({"link_failed", "", {}, Fault::kRefused}).owner ==
            FailureOwner::kKernel);
  }

  void times_that_no_clock_can_have_measured() {
    for (double wrong : {0.0, -1e-6, 1e-300, 1e300, double(NAN), double(INFINITY)})
      QVERIFY(!impossible_times({1e-3, wrong}).empty());
    QVERIFY(!impossible_times({}).empty());
    QVERIFY(impossible_times({1e-9, 100}).empty());
  }

  void a_device_that_fails_for_a_while_costs_no_trial_data() {
    QTest::addColumn<QString>("code");
    for (Failure const& row : failure_table())
      if (row.owner == FailureOwner::kDevice && row.code != "unknown_request" &&
          row.code != "cancelled")
        QTest::newRow(std::string(row.code).c_str())
            << QString::fromStdString(std::string(row.code));
    QTest::newRow("a code that nobody knows") << "something_else";
  }
  void a_device_that_fails_for_a_while_costs_no_trial() {
    QFETCH(QString, code);
    TroubledDevice device(*device_);
    device.in_one_call = true;
    device.fails = [&](int attempt, auto) -> std::optional<Error> {
      if (attempt < 3 || attempt > 4) return {};
      return failed(code.toStdString().c_str());
    };
    all_are_right(device, 6);
  }

  void impossible_times_for_a_while_cost_no_trial_data() {
    QTest::addColumn<double>("seconds");
    for (double wrong : {0.0, -1e-6, 1e-300, 1e300, double(NAN), double(INFINITY)})
      QTest::newRow(std::to_string(wrong).c_str()) << wrong;
  }
  void impossible_times_for_a_while_cost_no_trial() {
    QFETCH(double, seconds);
    TroubledDevice device(*device_);
    device.in_one_call = true;
    device.changes = [&](int attempt, TrialAnswer& answer) {
      if (attempt == 3 || attempt == 4) answer.samples.seconds = {seconds};
    };
    all_are_right(device, 6);
  }

  /// It answers every question but a trial: to ask whether it is there is not enough.
  void a_device_that_completes_no_trial_ends_the_search_with_the_reason() {
    TroubledDevice device(*device_);
    device.in_one_call = true;
    device.fails = [](int attempt, auto) -> std::optional<Error> {
      if (attempt < 3) return {};
      return Error{"device_refused", "it is full", {}, Fault::kEnvironment};
    };
    auto tuning = begun(device, 1000, 0.7);
    QElapsedTimer clock;
    clock.start();
    auto end = tuning->search(1000, 0);
    QVERIFY(!end && end.error().code == kNoDevice);
    QVERIFY2(end.error().message.find("it is full") != std::string::npos,
             end.error().message.c_str());
    QVERIFY2(clock.elapsed() < 30'000, qPrintable(QString::number(clock.elapsed())));
    QCOMPARE(tuning->trials(), 2);
  }

  void a_device_whose_times_are_always_impossible_is_asked_no_more() {
    TroubledDevice device(*device_);
    device.in_one_call = true;
    device.changes = [](int, TrialAnswer& answer) { answer.samples.seconds = {0.0}; };
    auto tuning = begun(device, 1000, 600);
    auto end = tuning->search(1000, 0);
    QVERIFY(!end && end.error().code == kNoDevice);
    QVERIFY2(end.error().message.find("no clock can have measured") != std::string::npos,
             end.error().message.c_str());
    QCOMPARE(tuning->trials(), 0);
    QCOMPARE(device.attempts.load(), 3);
  }

  /// What ends every device is counted after some times, and the others are made.
  void a_candidate_that_loses_every_device_is_left_out() {
    TroubledDevice device(*device_);
    device.in_one_call = true;
    size_t poison = 0;
    auto hash = [](std::span<std::byte const> library) {
      return std::hash<std::string_view>()(
          {reinterpret_cast<char const*>(library.data()), library.size()});
    };
    device.fails = [&](int attempt, std::span<std::byte const> library) -> std::optional<Error> {
      if (attempt == 3) poison = hash(library);
      if (attempt < 3 || hash(library) != poison) return {};
      return failed("device_lost");
    };
    auto tuning = begun(device, 8, 600);
    QVERIFY(tuning->search(8, 0));
    device.fails = {};
    TuneResult result = tuning->finish().value();
    QCOMPARE(result.attempts.size(), size_t(8));
    QCOMPARE(std::ranges::count(result.attempts, records::Outcome::kOk, &Attempt::outcome), 7);
    QCOMPARE(std::ranges::count(result.attempts, records::Outcome::kDeviceLost, &Attempt::outcome),
             1);
  }

  /// Trials of an hour are not thrown away since a line is cut in the last minute.
  void the_last_comparison_waits_for_a_device_that_goes() {
    TroubledDevice device(*device_);
    auto tuning = begun(device, 6, 600);
    QVERIFY(tuning->search(6, 0));
    int asked = 0;
    device.is_lost = [&](int) { return ++asked <= 5; };
    auto result = tuning->finish();
    QVERIFY2(result, result ? "" : to_sentence(result.error()).c_str());
    QVERIFY(asked > 5 && result->seconds > 0);
  }
  void a_last_comparison_without_a_device_says_so() {
    TroubledDevice device(*device_);
    TuneOptions options{.trials = 4, .lost_seconds = 600, .finals_seconds = 0.3};
    auto tuning = KernelTuning::create(space_of(kProduct), device, inputs_, expected_, options);
    QVERIFY((*tuning)->search(4, 0));
    device.is_lost = [](int) { return true; };
    auto result = (*tuning)->finish();
    QVERIFY(!result);
    QCOMPARE(result.error().code, std::string(kNoDevice));
    QVERIFY2(result.error().message.find("the line was cut") != std::string::npos,
             result.error().message.c_str());
  }

private:
  std::unique_ptr<KernelTuning> begun(Device& device, int trials, double lost_seconds) {
    TuneOptions options{.trials = trials, .lost_seconds = lost_seconds};
    return KernelTuning::create(space_of(kProduct), device, inputs_, expected_, options).value();
  }
  void all_are_right(TroubledDevice& device, int trials) {
    auto tuning = begun(device, trials, 600);
    auto end = tuning->search(trials, 0);
    QVERIFY2(end, end ? "" : to_sentence(end.error()).c_str());
    TuneResult result = tuning->finish().value();
    QCOMPARE(result.attempts.size(), size_t(trials));
    QVERIFY(result.devices[0].lost > 0);
    for (Attempt const& one : result.attempts)
      QVERIFY2(one.outcome == records::Outcome::kOk, one.sentence.c_str());
  }

  std::unique_ptr<LocalDevice> device_;
  te::Kernel kernel_;
  std::vector<NDArray> inputs_;
  te::Expected expected_;
};

QTEST_GUILESS_MAIN(FailuresTest)
#include "failures_test.moc"
