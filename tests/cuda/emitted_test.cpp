// What the emitter makes of device functions for PTX, made for this machine's processor instead:
// counters come from a table, threads are fibers that meet at barriers. What it computes is what
// the plain program does, for kernels with schedules by hand and for random ones.
#include <QtTest>
#include "engine/schedule/names.h"
#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/hardware/description.h"
#include "tests/support/bound_kernels.h"
#include "tests/support/emitted_runs.h"
#include "tests/support/random_bindings.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"
#include "tests/support/shared_rows.h"

using namespace tw;

namespace {

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

}  // namespace

class EmittedTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    // Rounding and products with sums are instructions from there on, no functions of a library.
    if (!__builtin_cpu_supports("fma")) QSKIP("this processor has no fused products and sums");
    machine_.emplace(Machine::create({.triple = {}, .cpu = "x86-64-v3", .features = {}}).value());
    backend_ = cuda::create_cuda_backend(cuda::known_gpus()[0].hardware, {}).value();
  }

  void each_kernel_is_right_data() {
    QTest::addColumn<QString>("name");
    for (std::string const& name :
         testing::bound_kernel_names({testing::kBoundKernels, testing::kCudaKernels}))
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
  void each_kernel_is_right() {
    QFETCH(QString, name);
    auto made = testing::bound_kernel(name.toStdString(), *backend_);
    QVERIFY2(made, sentence(made).c_str());
    Rng rng(11);
    std::vector<NDArray> inputs = testing::random_inputs(made->kernel, rng);
    auto wanted = ir::interpret(made->schedule.origin(), inputs).value();
    auto outputs = run(made->lowered, made->schedule.origin(), inputs);
    QVERIFY2(outputs, sentence(outputs).c_str());
    QCOMPARE(testing::difference(wanted, *outputs), std::string());
  }

  /// More than a function may declare on a GPU: here a variable takes the place of what a launch
  /// gives.
  void memory_that_a_launch_gives_is_used() {
    auto rows = testing::shared_rows(50001, 24, *backend_);
    QVERIFY2(rows, sentence(rows).c_str());
    auto stages = lower(rows->schedule.program(), backend_->target(), backend_->passes());
    QVERIFY2(stages, sentence(stages).c_str());
    Rng rng(5);
    std::vector<NDArray> inputs = testing::random_inputs(rows->kernel, rng);
    auto wanted = ir::interpret(rows->schedule.origin(), inputs).value();
    auto outputs = run(stages->back().kernel, rows->schedule.origin(), inputs);
    QVERIFY2(outputs, sentence(outputs).c_str());
    QCOMPARE(testing::difference(wanted, *outputs), std::string());
    QCOMPARE(given_bytes_, int64_t(50048));
  }

  void random_schedules_are_right() {
    int traces = qEnvironmentVariableIsSet("TW_TEST_TRACES")
                     ? qEnvironmentVariableIntValue("TW_TEST_TRACES")
                     : 250;
    Rng rng(qEnvironmentVariableIsSet("TW_TEST_SEED")
                ? qEnvironmentVariable("TW_TEST_SEED").toULongLong()
                : 20261129);
    int taken = 0;
    for (int trace = 0; trace < traces; ++trace) {
      std::string text = testing::test_kernel(trace, testing::kernel_set(), rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Schedule schedule = testing::random_bound_schedule(
          Schedule(te::to_program(kernel).value(), backend_->shared_target()), trace, rng);
      std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
      auto stages = lower(schedule.program(), backend_->target(), backend_->passes());
      if (!stages) continue;
      std::string said = text + schedule.script();
      auto outputs = run(stages->back().kernel, schedule.origin(), inputs);
      if (!outputs && outputs.error().code.starts_with("unsupported")) continue;
      ++taken;
      QVERIFY2(outputs, (sentence(outputs) + "\n" + said).c_str());
      QVERIFY2(te::judge(*outputs, testing::expected_of(kernel, inputs)).equal, said.c_str());
    }
    qInfo("%d of %d taken, %d accesses with proven alignment so far", taken, traces, proven_);
    QVERIFY(proven_ > 0);
    QVERIFY(taken * 4 >= traces);
  }

private:
  Result<std::vector<NDArray>> run(ir::KernelIr const& kernel, ir::Program const& program,
                                   std::vector<NDArray> const& inputs) {
    TRY_ASSIGN(testing::EmittedRun made, testing::run_emitted(*machine_, kernel, program, inputs));
    proven_ += made.proven;
    given_bytes_ = made.given_bytes;
    return std::move(made.outputs);
  }

  std::optional<Machine> machine_;
  int proven_ = 0;
  int64_t given_bytes_ = 0;  // of the last kernel's largest function
  std::shared_ptr<Backend const> backend_;
};

QTEST_GUILESS_MAIN(EmittedTest)
#include "emitted_test.moc"
