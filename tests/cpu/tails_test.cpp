// How the last part of a tensor is computed inside of a loop, in compiled code: the same numbers,
// and fewer guards.
#include <QtTest>

#include <chrono>

#include "engine/ir/text.h"
#include "engine/schedule/trace.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/support/compiled.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

/// Tiles of 8 x 32 do not divide 250 x 250, and one loop runs over all of them: which of them is
/// the last is not known when the code is made. Beyond its end the operands have rows to be read.
constexpr char kKernel[] =
    "kernel dense(A: f32[256, 64], B: f32[64, 256], Z: f32[250]) -> Y\n"
    "  P[i in 250, j in 250] = sum[k in 64] A[i, k] * B[k, j]\n"
    "  Y[i in 250, j in 250] = max(P[i, j] + Z[j], 0.0)\n";
/// The sums of a tile are registers where no guard stands between them.
constexpr char kSteps[] =
    "io, i = split(Y.i, factor=8)\n"
    "jo, j = split(Y.j, factor=32)\n"
    "reorder(io, jo, Y.i, Y.j)\n"
    "o = fuse(io, jo)\n"
    "compute_at(P, o, tail=%1)\n"
    "pa, pb = split(P.j_2, factor=16)\n"
    "reorder(P.k, P.i_2, pa, pb)\n"
    "vectorize(pb)\n"
    "unroll(pa)\n"
    "unroll(P.i_2)\n"
    "ya, yb = split(Y.j, factor=16)\n"
    "vectorize(yb)\n";

struct Made {
  te::Kernel kernel;
  ir::Program program;
  ir::KernelIr code;
};

Made made(Backend const& backend, QString const& tail) {
  te::Kernel kernel = testing::parsed_kernel(kKernel).value();
  std::string steps = "tilewright schedule 1\n" + QString(kSteps).arg(tail).toStdString();
  auto schedule = replay(Schedule(te::to_program(kernel).value(), backend.shared_target()),
                         parse_script(steps, "tails").value());
  if (!schedule) qFatal("%s", schedule.error().message.c_str());
  auto stages = lower(schedule->program(), backend.target(), backend.passes(),
                      {.verify = VerifyPasses::kEach});
  if (!stages) qFatal("%s", to_sentence(stages.error()).c_str());
  return {std::move(kernel), schedule->program(), stages->back().kernel};
}

/// Conditions around what is summed up.
int guards_of_the_part(ir::KernelIr const& kernel) {
  int guards = 0;
  ir::walk(kernel.host.body, [&](ir::Stmt const& s) {
    auto const* test = s.as<ir::If>();
    bool part = false;
    if (test)
      ir::walk_exprs(test->then_body, [&](ir::Expr const& e) {
        auto const* read = e.as<ir::Load>();
        return part = part || (read && read->buffer->name == "A"), !part;
      });
    guards += part;
    return true;
  });
  return guards;
}

/// Code that can be called again and again on the same tensors.
class Code {
public:
  Code(Backend const& backend, Made const& one)
      : artifact_(backend.compile(one.code, CodeTier::kFull, CodeTexts::kNone).value()),
        module_(LoadedModule::load(artifact_.library).value()),
        kernel_(reinterpret_cast<TwKernel>(module_.symbol(artifact_.symbol).value())) {
    Rng rng(3);
    tensors_ = testing::random_inputs(one.kernel, rng);
    tensors_.push_back(NDArray::create(DType::kF32, {250, 250}).value());
    tensors_.push_back(NDArray::create(DType::kU8, {artifact_.workspace_bytes + 64}).value());
    for (NDArray& tensor : tensors_) buffers_.push_back(tensor.data());
  }

  /// The least of some runs.
  double microseconds(ThreadPool& pool) {
    double least = 1e9;
    for (int run = 0; run < 10; ++run) {
      auto start = std::chrono::steady_clock::now();
      if (kernel_(buffers_.data(), pool.runtime()) != 0) qFatal("the kernel failed");
      least = std::min(
          least, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
                     .count());
    }
    return least;
  }

private:
  Artifact artifact_;
  LoadedModule module_;
  TwKernel kernel_;
  std::vector<NDArray> tensors_;
  std::vector<void*> buffers_;
};

}  // namespace

class TailsTest : public QObject {
  Q_OBJECT
private slots:
  void a_tail_leaves_no_guards_data() {
    QTest::addColumn<QString>("tail");
    for (char const* tail : {"shift_inwards", "round_up"}) QTest::newRow(tail) << tail;
  }
  void a_tail_leaves_no_guards() {
    QFETCH(QString, tail);
    Made guarded = made(*backend_, "guard"), whole = made(*backend_, tail);
    QVERIFY(guards_of_the_part(guarded.code) > 0);
    QCOMPARE(guards_of_the_part(whole.code), 0);
    agrees(whole);
    agrees(guarded);
    Code with(*backend_, whole), without(*backend_, guarded);
    std::vector<double> ratios;
    for (int round = 0; round < 15; ++round)
      ratios.push_back(with.microseconds(pool_) / without.microseconds(pool_));
    std::ranges::sort(ratios);
    qInfo("tail=%s takes %.3f of the time of tail=guard (%d conditions around the sums there)",
          qPrintable(tail), ratios[ratios.size() / 2], guards_of_the_part(guarded.code));
    QVERIFY(ratios[ratios.size() / 2] < 1);
  }

private:
  void agrees(Made const& one) {
    Rng rng(3);
    auto inputs = testing::random_inputs(one.kernel, rng);
    te::Expected expected = testing::expected_of(one.kernel, inputs);
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull, CodeTier::kChecked}) {
      auto outputs = testing::run_compiled(one.code, one.program, inputs, *backend_, tier, pool_);
      QVERIFY2(outputs, outputs ? "" : to_sentence(outputs.error()).c_str());
      QVERIFY(te::judge(*outputs, expected).equal);
    }
  }

  std::shared_ptr<Backend const> backend_ = create_cpu_backend(detect_host()).value();
  ThreadPool pool_{1};
};

QTEST_GUILESS_MAIN(TailsTest)
#include "tails_test.moc"
