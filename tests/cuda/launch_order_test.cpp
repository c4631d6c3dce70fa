// The prover of order and the interpreter say the same of the kernels for blocks and threads: both
// find nothing, and both find a fault wherever a barrier or a wait is taken out that is needed.
#include <QElapsedTimer>
#include <QtTest>

#include "engine/lowering/launch_order.h"
#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/hardware/description.h"
#include "tests/support/bound_kernels.h"
#include "tests/support/changed_code.h"
#include "tests/support/random_schedules.h"

using namespace tw;
using namespace tw::testing;

namespace {

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

std::string said(LaunchOrder const& order) {
  std::string all = order.undecided;
  for (LaunchFault const& fault : order.faults) all += fault.code + ": " + fault.sentence + "\n";
  return all;
}

}  // namespace

class LaunchOrderTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    backend_ = cuda::create_cuda_backend(cuda::known_gpus()[0].hardware, {}).value();
    sharing_ = backend_->target().sharing();
  }

  void what_is_needed_is_found_by_both_data() {
    QTest::addColumn<QString>("name");
    for (std::string const& name : bound_kernel_names({kBoundKernels, kCudaKernels}))
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
  void what_is_needed_is_found_by_both() {
    QFETCH(QString, name);
    auto made = bound_kernel(name.toStdString(), *backend_);
    QVERIFY2(made, sentence(made).c_str());
    ir::KernelIr kernel = with_barriers(made->schedule);
    Rng rng(11);
    std::vector<NDArray> inputs = random_inputs(made->kernel, rng);
    std::string text = ir::print(kernel).text;
    LaunchOrder whole = launch_order(backend_->target(), kernel);
    QVERIFY2(whole.proven(), (said(whole) + text).c_str());
    LaunchOrder lowered = launch_order(backend_->target(), made->lowered);
    QVERIFY2(lowered.proven(), (said(lowered) + ir::print(made->lowered).text).c_str());
    QVERIFY2(!is_found(kernel, inputs, sharing_), text.c_str());
    auto compare = [&](ir::KernelIr const& less, std::string const& what) {
      LaunchOrder order = launch_order(backend_->target(), less);
      QVERIFY2(order.undecided.empty(), order.undecided.c_str());
      bool found = is_found(less, inputs, sharing_);
      QVERIFY2(order.faults.empty() != found, (what + "\n" + said(order) + text).c_str());
      ++(found ? needed_ : spare_);
    };
    for (int i = 0; i < count_in(kernel, is_barrier); ++i)
      compare(changed(kernel, i, is_barrier, nothing), "barrier " + std::to_string(i));
    for (int i = 0; i < count_in(kernel, is_wait); ++i) {
      compare(changed(kernel, i, is_wait, nothing), "wait " + std::to_string(i));
      compare(changed(kernel, i, is_wait, with_one_more), "one more at " + std::to_string(i));
    }
  }

  void cleanupTestCase() {
    qInfo("%d barriers and waits are needed, %d are not: both say so", needed_, spare_);
    QVERIFY(needed_ > 20);
  }

private:
  ir::KernelIr with_barriers(Schedule const& schedule) const {
    auto stages = lower(schedule.program(), backend_->target(), backend_->passes(), {});
    for (LoweredStage const& stage : stages.value())
      if (stage.name == "insert_barriers") return stage.kernel;
    return {};
  }

  std::shared_ptr<Backend const> backend_;
  ir::Sharing sharing_;
  int needed_ = 0, spare_ = 0;
};

QTEST_GUILESS_MAIN(LaunchOrderTest)
#include "launch_order_test.moc"
