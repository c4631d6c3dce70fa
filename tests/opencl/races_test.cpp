// A simulator of OpenCL devices that looks for data races (oclgrind) finds none in the kernels, and
// one wherever a barrier is taken out, as the interpreter does.
#include <QtTest>

#include <fcntl.h>
#include <unistd.h>

#include "engine/ir/rewrite.h"
#include "targets/opencl/compiler/opencl_backend.h"
#include "targets/opencl/hardware/description.h"
#include "targets/opencl/runtime/opencl_processor.h"
#include "tests/support/bound_kernels.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

constexpr char kSimulator[] = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";

bool is_barrier(ir::Stmt const& s) {
  auto const* call = s.as<ir::IntrinsicCall>();
  return call && call->intrinsic->barrier;
}

int barriers_in(ir::KernelIr const& kernel) {
  int count = 0;
  ir::for_each_function(kernel, [&](ir::Function const& function) {
    ir::walk(function.body, [&](ir::Stmt const& s) { return count += is_barrier(s), true; });
  });
  return count;
}

/// Without barrier `number`, from 0.
ir::KernelIr without_barrier(ir::KernelIr const& kernel, int number) {
  int at = 0;
  return ir::rewrite_bodies(kernel, [&](ir::Stmt const& body) {
    return ir::rewrite_stmts(body, [&](ir::Stmt const& s) -> ir::Stmt {
      return is_barrier(s) && at++ == number ? ir::make<ir::Seq>(std::vector<ir::Stmt>{}) : nullptr;
    });
  });
}

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

}  // namespace

class RacesTest : public QObject {
  Q_OBJECT
private slots:
  /// The loader reads its settings when it is opened, the simulator when it is.
  void initTestCase() {
    if (!std::filesystem::exists(kSimulator)) QSKIP("oclgrind is not installed");
    QVERIFY(folder_.isValid());
    std::ofstream(folder_.filePath("oclgrind.icd").toStdString()) << kSimulator << "\n";
    qputenv("OCL_ICD_VENDORS", folder_.path().toUtf8());
    qputenv("OCLGRIND_MAX_ERRORS", "1000000");
    qputenv("OCLGRIND_DATA_RACES", "1");
    auto device = opencl::find_device("oclgrind");
    if (!device) QSKIP(qPrintable(QString::fromStdString(device.error().message)));
    backend_ = opencl::create_opencl_backend(opencl::any_device()).value();
    processor_ = opencl::create_opencl_processor(*device, 1 << 24).value();
  }

  void only_without_a_barrier_there_is_a_race_data() {
    QTest::addColumn<QString>("name");
    for (std::string const& name : testing::bound_kernel_names())
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
  void only_without_a_barrier_there_is_a_race() {
    QFETCH(QString, name);
    auto made = testing::bound_kernel(name.toStdString(), *backend_);
    QVERIFY2(made, sentence(made).c_str());
    Rng rng(11);
    std::vector<NDArray> inputs = testing::random_inputs(made->kernel, rng);
    auto wanted = ir::interpret(made->schedule.origin(), inputs).value();
    std::vector<NDArray> outputs;
    QString said = simulate(*made, made->lowered, inputs, outputs);
    QVERIFY2(said.isEmpty(), qPrintable(said));
    QCOMPARE(testing::difference(wanted, outputs), std::string());
    ir::Sharing sharing = placed_sharing(backend_->target());
    for (int i = 0; i < barriers_in(made->lowered); ++i) {
      ir::KernelIr less = without_barrier(made->lowered, i);
      auto interpreted =
          ir::interpret(less, inputs.size(), inputs,
                        {.shuffle_seed = 7, .sizes = {}, .sharing = &sharing, .stop = {}});
      QVERIFY(!interpreted);
      QCOMPARE(interpreted.error().code, std::string("race"));
      said = simulate(*made, less, inputs, outputs);
      QVERIFY2(said.contains("data race"), qPrintable(said));
    }
    barriers_ += barriers_in(made->lowered);
  }

  void cleanupTestCase() {
    if (!processor_) return;
    qInfo("%d barriers were taken out", barriers_);
    QVERIFY(barriers_ > 10);
    processor_.reset();
  }

private:
  /// What the simulator has to say of a run: it says it to standard error.
  QString simulate(testing::BoundKernel const& made, ir::KernelIr const& kernel,
                   std::vector<NDArray> const& inputs, std::vector<NDArray>& outputs) {
    auto code = backend_->generate(kernel, CodeTier::kFull, CodeTexts::kNone, {});
    if (!code) return QString::fromStdString(code.error().message);
    std::string path = folder_.filePath("said").toStdString();
    int kept = ::dup(STDERR_FILENO),
        file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    ::dup2(file, STDERR_FILENO);
    auto ran = testing::run_on(*processor_, *backend_, made.schedule.origin(), *code, inputs);
    ::dup2(kept, STDERR_FILENO);
    ::close(kept);
    ::close(file);
    if (!ran) return QString::fromStdString(ran.error().message);
    outputs = std::move(*ran);
    return QString::fromStdString(testing::text_of_file(path).substr(0, 2000));
  }

  QTemporaryDir folder_;
  int barriers_ = 0;
  std::shared_ptr<Backend const> backend_;
  std::unique_ptr<DeviceRuntime> processor_;
};

QTEST_GUILESS_MAIN(RacesTest)
#include "races_test.moc"
