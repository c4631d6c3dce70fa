// `tw tune` of a trial or two on every kernel that comes with the program: examples, samples, and
// one of each operator. A template goes other ways at points by chance than by rule, so every
// search is asked. A crash is what this is for; under the address sanitizer a read of what is gone.
#include <QTemporaryDir>
#include <QtTest>

#include "app/shared/environment.h"
#include "engine/device/local_device.h"
#include "engine/session/use_cases.h"
#include "engine/te/te.h"
#include "tests/support/operator_kernels.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;

namespace {

/// Sums and maxima along memory, whose partial sums are a stage that is made on the way.
constexpr std::pair<char const*, char const*> kAlongMemory[] = {
    {"row sums",
     "tilewright te 1\nkernel s(A: f32[64, 512]) -> C\n  C[i in 64] = sum[k in 512] A[i, k]\n"},
    {"row maxima",
     "tilewright te 1\nkernel mx(A: f32[257, 513]) -> C\n  C[i in 257] = max[k in 513] A[i, k]\n"},
    {"two sums",
     "tilewright te 1\nkernel two(A: f32[48, 640]) -> (C, D)\n"
     "  C[i in 48] = sum[k in 640] A[i, k]\n"
     "  D[i in 48] = sum[k in 640] (A[i, k] - C[i]) * (A[i, k] - C[i])\n"},
};

constexpr uint64_t kSeed = 20261127;

}  // namespace

class EveryKernelTunedTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    environment_ = make_environment().value();
    device_ = std::make_unique<LocalDevice>(LocalDeviceOptions{testing::built("/bin/tw-device")});
    // One of the searches asks a model of time, which asks the roofs.
    auto machine = machine_view(*environment_.backend, *device_, folder_.path().toStdString(), true,
                                false, {}, {}, "");
    QVERIFY2(machine, machine ? "" : to_sentence(machine.error()).c_str());
    roofs_ = machine->rates;
    QVERIFY(roofs_);
  }
  void cleanupTestCase() { qInfo("%d searches, %d trials, %d right", searches_, trials_, right_); }

  void sums_along_memory_data() {
    QTest::addColumn<QString>("text");
    for (auto const& [name, text] : kAlongMemory) QTest::newRow(name) << QString(text);
  }
  void sums_along_memory() {
    QFETCH(QString, text);
    tune_all_of("te:" + text.toStdString(), 12);
  }

  void every_example_data() {
    QTest::addColumn<QString>("name");
    for (ExpressionExample const& example : expression_examples())
      QTest::newRow(example.name.c_str()) << QString::fromStdString(example.name);
  }
  void every_example() {
    QFETCH(QString, name);
    tune_all_of("example:" + name.toStdString(), 2);
  }

  void every_operator_data() {
    QTest::addColumn<QString>("name");
    for (Operator const* op : operator_table())
      if (has_compute(*op)) QTest::newRow(op->name.c_str()) << QString::fromStdString(op->name);
  }
  void every_operator() {
    QFETCH(QString, name);
    Operator const& op = *find_operator(name.toStdString());
    Rng rng(kSeed);
    RandomCase drawn = op.random_case(rng);
    auto shapes = testing::inferred(op, drawn);
    QVERIFY2(shapes, shapes ? "" : to_sentence(shapes.error()).c_str());
    auto kernel = testing::kernel_of(op, drawn, *shapes);
    QVERIFY2(kernel, kernel ? "" : to_sentence(kernel.error()).c_str());
    tune_all_of("te:" + te::to_text(*kernel), 2);
  }

  /// Each kernel with one of the searches in turn: some take a second to be run once.
  void every_kernel_of_a_sample_data() {
    QTest::addColumn<QString>("name");
    for (SampleInfo const& sample : sample_list())
      QTest::newRow(sample.name.c_str()) << QString::fromStdString(sample.name);
  }
  void every_kernel_of_a_sample() {
    QFETCH(QString, name);
    auto model = load_model("sample:" + name.toStdString(), {}, *environment_.backend);
    QVERIFY2(model, model ? "" : to_sentence(model.error()).c_str());
    auto const& rows = tw::searches();
    for (int kernel = 0; kernel < int(kernel_table(**model).rows.size()); ++kernel)
      tune_one(**model, kernel, std::string(rows[size_t(kernel) % rows.size()].name), 1);
  }

private:
  void tune_all_of(std::string const& path, int trials) {
    auto model = load_model(path, {}, *environment_.backend);
    QVERIFY2(model, model ? "" : (to_sentence(model.error()) + "\n" + path).c_str());
    for (SearchRow const& row : tw::searches()) tune_one(**model, 0, std::string(row.name), trials);
  }

  /// No trial at all is no fault where the kernel has but one schedule, or cannot be checked.
  void tune_one(LoadedModel const& model, int kernel, std::string const& search, int trials) {
    TuneRequest request;
    request.options.trials = trials;
    request.options.threads = 1;
    request.options.seed = kSeed;
    request.options.search = search;
    request.roofs = roofs_;
    auto tuned = tune_kernel(model, kernel, request, environment_.backend, *device_);
    ++searches_;
    std::string const where = kernel_name(model, kernel) + ", " + search + ": ";
    QVERIFY2(tuned, tuned ? "" : (where + to_sentence(tuned.error())).c_str());
    for (Attempt const& one : tuned->result.attempts) {
      ++trials_;
      right_ += one.outcome == records::Outcome::kOk;
      QVERIFY2(one.outcome != records::Outcome::kWrong && one.outcome != records::Outcome::kCrash,
               (where + one.sentence + "\n" + one.script).c_str());
    }
  }

  Environment environment_;
  std::unique_ptr<LocalDevice> device_;
  QTemporaryDir folder_;
  std::shared_ptr<Roofs const> roofs_;
  int searches_ = 0, trials_ = 0, right_ = 0;
};

QTEST_GUILESS_MAIN(EveryKernelTunedTest)
#include "every_kernel_tuned_slow_test.moc"
