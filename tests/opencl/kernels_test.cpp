// Kernels of blocks and threads as OpenCL C: what the interpreter makes of the lowered kernel,
// without a race, and what a device makes of the C, is what the plain program computes.
#include <QtTest>

#include "targets/opencl/compiler/opencl_backend.h"
#include "targets/opencl/hardware/description.h"
#include "targets/opencl/runtime/opencl_processor.h"
#include "tests/support/bound_kernels.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

}  // namespace

class KernelsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    backend_ = opencl::create_opencl_backend(opencl::any_device()).value();
    auto device = opencl::find_device("");
    if (!device) {
      missing_ = QString::fromStdString(device.error().message);
      return;
    }
    processor_ = opencl::create_opencl_processor(*device, 1 << 24).value();
  }

  void each_kernel_is_right_data() {
    QTest::addColumn<QString>("name");
    for (std::string const& name : testing::bound_kernel_names())
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
  void each_kernel_is_right() {
    QFETCH(QString, name);
    auto made = testing::bound_kernel(name.toStdString(), *backend_);
    QVERIFY2(made, sentence(made).c_str());
    // A script that one can read.
    QVERIFY(std::ranges::count(made->schedule.script(), '\n') <= 25);
    ir::Program const& plain = made->schedule.origin();
    Rng rng(11);
    std::vector<NDArray> inputs = testing::random_inputs(made->kernel, rng);
    auto wanted = ir::interpret(plain, inputs).value();
    ir::Sharing sharing = placed_sharing(backend_->target());
    auto interpreted =
        ir::interpret(made->lowered, inputs.size(), inputs,
                      {.shuffle_seed = 7, .sizes = {}, .sharing = &sharing, .stop = {}});
    QVERIFY2(interpreted, sentence(interpreted).c_str());
    QCOMPARE(testing::difference(wanted, *interpreted), std::string());
    auto code = backend_->generate(made->lowered, CodeTier::kFull, CodeTexts::kAll, {});
    QVERIFY2(code, sentence(code).c_str());
    for (CodeListing const& listing : code->listings)
      QCOMPARE(listing.source_line.size(), size_t(std::ranges::count(listing.text, '\n')));
    if (!processor_) QSKIP(qPrintable(missing_));
    auto outputs = testing::run_on(*processor_, *backend_, plain, *code, inputs);
    QVERIFY2(outputs, (sentence(outputs) + code->listings[0].text).c_str());
    QCOMPARE(testing::difference(wanted, *outputs), std::string());
  }

private:
  std::shared_ptr<Backend const> backend_;
  std::unique_ptr<DeviceRuntime> processor_;
  QString missing_;
};

QTEST_GUILESS_MAIN(KernelsTest)
#include "kernels_test.moc"
