// Full-size runs with every access checked.
#include "engine/session/model/checked_run.h"

#include <QtTest>

#include "app/shared/environment.h"
#include "engine/device/local_device.h"
#include "engine/ir/text.h"
#include "engine/schedule/trace.h"
#include "engine/session/model/loaded_model.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;

class CheckedRunTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    environment_ = make_environment().value();
    device_ = std::make_unique<LocalDevice>(LocalDeviceOptions{testing::built("/bin/tw-device")});
    options_.threads = 2;
    options_.call.timeout = std::chrono::minutes(2);
  }

  void every_default_schedule_of_resnet18_is_clean() {
    Backend const& backend = *environment_.backend;
    Model model = load_model("sample:resnet18", {}, backend).value();
    int count = int(model->plan.kernels.size()), scheduled = 0;
    for (int kernel = 0; kernel < count; ++kernel) {
      ir::Program plain = plain_program(*model, kernel).value();
      Script script = parse_script(backend.default_script(plain).value()).value();
      auto schedule = replay(Schedule(plain), script);
      QVERIFY2(schedule, script.kernel.c_str());
      scheduled += !script.steps.empty();
      KernelBench bench(*device_, plain, random_kernel_inputs(plain.inputs, 1).value());
      auto run = run_checked(schedule->program(), model->kernel(kernel).flops,
                             kMostCheckedOperations, backend, bench, options_);
      QVERIFY2(run, run ? "" : to_sentence(run.error()).c_str());
      QVERIFY2(run->ran && run->text.empty(), (plain.name + ": " + run->text).c_str());
    }
    qInfo("%d kernels, %d with a schedule", count, scheduled);
    QVERIFY(scheduled > 5);
  }

  void a_wrong_access_makes_the_step_wrong_and_the_bench_goes_on() {
    auto program = [](char const* index) {
      return ir::parse_program(
                 "tilewright program 1\n"
                 "program p(X: f32[8]) -> (Y: f32[8])\n"
                 "  for i in 8\n"
                 "    block Y(vi: 8 = i)\n"
                 "      Y[vi] = X[" +
                 std::string(index) + "]\n")
          .value();
    };
    ir::Program wrong = program("vi+3"), right = program("vi");
    KernelBench bench(*device_, right, random_kernel_inputs(right.inputs, 1).value());
    for (int round = 0; round < 2; ++round) {
      auto found = run_checked(wrong, 8, 8, *environment_.backend, bench, options_);
      QVERIFY2(found && found->is_wrong(), found ? "" : to_sentence(found.error()).c_str());
      QVERIFY2(found->text.starts_with("out-of-bounds read of X at 8 of 8, loops i = 5"),
               found->text.c_str());
      History history = with_checked_run(History(Schedule(wrong)), 0, {}, found);
      QCOMPARE(history.node(0).on({}).correctness, Correctness::kWrong);
      QCOMPARE(history.node(0).on({}).correctness_text, found->text);
      auto clean = run_checked(right, 8, 8, *environment_.backend, bench, options_);
      QVERIFY(clean && clean->ran && clean->text.empty());
    }
  }

  void what_is_too_large_is_not_run_and_says_so() {
    auto program = ir::parse_program(
        "tilewright program 1\nprogram p(X: f32[1]) -> (Y: f32[1])\n"
        "  block Y()\n    Y[0] = X[0]\n");
    QVERIFY2(program, program ? "" : to_sentence(program.error()).c_str());
    KernelBench bench(*device_, *program, random_kernel_inputs(program->inputs, 1).value());
    auto run = run_checked(*program, 5'000'000'000, kMostCheckedOperations, *environment_.backend,
                           bench, options_);
    QVERIFY(run && !run->ran && !run->is_wrong());
    QCOMPARE(run->text, std::string("not run with checks: 5.0 GFLOP would take too long"));
  }

private:
  Environment environment_;
  std::unique_ptr<Device> device_;
  BenchOptions options_;
};

QTEST_GUILESS_MAIN(CheckedRunTest)
#include "checked_run_test.moc"
