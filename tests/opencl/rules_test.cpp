// Schedules by rule for blocks and threads: what a product gets and what it computes, for every
// tile that may be chosen; nothing else gets tiles.
#include <QtTest>

#include "engine/schedule/names.h"
#include "targets/opencl/compiler/opencl_backend.h"
#include "targets/opencl/hardware/description.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

constexpr char kSquare[] =
    "kernel product(A: f32[32, 24], B: f32[24, 48]) -> C\n"
    "  C[i in 32, j in 48] = sum[k in 24] A[i, k] * B[k, j]\n";
constexpr char kOdd[] =
    "kernel product(A: f32[37, 19], B: f32[29, 19]) -> C\n"
    "  C[i in 37, j in 29] = sum[k in 19] A[i, k] * B[j, k]\n";
constexpr char kBatched[] =
    "kernel dense(A: f32[3, 20, 17], W: f32[33, 17], Z: f32[33]) -> Y\n"
    "  C[b in 3, i in 20, j in 33] = sum[k in 17] A[b, i, k] * W[j, k]\n"
    "  Y[b in 3, i in 20, j in 33] = max(C[b, i, j] + Z[j], 0.0)\n";
constexpr char kBytes[] =
    "kernel product(A: i8[16, 32], B: i8[32, 16]) -> C\n"
    "  C[i in 16, j in 16] = sum[k in 32] i32(A[i, k]) * i32(B[k, j])\n";
constexpr char kSmall[] =
    "kernel product(A: f32[8, 24], B: f32[24, 48]) -> C\n"
    "  C[i in 8, j in 48] = sum[k in 24] A[i, k] * B[k, j]\n";
constexpr char kSquares[] =
    "kernel squares(A: f32[32, 32]) -> C\n"
    "  C[i in 32, j in 32] = sum[k in 32] A[i, k] * A[k, j]\n";
constexpr char kWindow[] =
    "kernel windows(X: f32[64, 64], W: f32[16, 16]) -> C\n"
    "  C[i in 32, j in 32] = sum[k in 16] X[i + k, j] * W[k, j % 16]\n";

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

}  // namespace

class RulesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { backend_ = opencl::create_opencl_backend(opencl::any_device()).value(); }

  void products_get_tiles_data() {
    QTest::addColumn<QString>("kernel");
    QTest::addColumn<bool>("tiles");
    QTest::newRow("square") << kSquare << true;
    QTest::newRow("odd, transposed") << kOdd << true;
    QTest::newRow("batched, with an epilogue") << kBatched << true;
    QTest::newRow("bytes") << kBytes << true;
    QTest::newRow("small") << kSmall << false;
    QTest::newRow("one factor twice") << kSquares << false;
    QTest::newRow("a window") << kWindow << false;
  }
  void products_get_tiles() {
    QFETCH(QString, kernel);
    QFETCH(bool, tiles);
    te::Kernel parsed = testing::parsed_kernel(kernel.toStdString()).value();
    ir::Program program = te::to_program(parsed).value();
    Rng rng(3);
    std::vector<NDArray> inputs = testing::random_inputs(parsed, rng);
    auto wanted = ir::interpret(program, inputs).value();
    Decisions by_rule;
    Schedule schedule = backend_->templated(program, by_rule).value();
    QCOMPARE(by_rule.knobs().empty(), !tiles);
    std::string script = schedule.script();
    QVERIFY2((std::ranges::count(script, '\n') <= 27) && tiles == script.contains("scope=shared"),
             script.c_str());
    check(schedule, inputs, wanted);
    // Every other answer, one at a time.
    for (Knob const& knob : by_rule.knobs())
      for (std::string const& value : knob.values) {
        Decisions other(Point{{knob.name, value}});
        auto changed = backend_->templated(program, other);
        QVERIFY2(changed, sentence(changed).c_str());
        if (!other.rejection()) check(*changed, inputs, wanted);
      }
  }

private:
  /// The lowered kernel is interpreted, with races.
  void check(Schedule const& schedule, std::vector<NDArray> const& inputs,
             std::vector<NDArray> const& wanted) {
    auto stages = lower(schedule.program(), backend_->target(), backend_->passes());
    QVERIFY2(stages, (sentence(stages) + schedule.script()).c_str());
    ir::Sharing sharing = placed_sharing(backend_->target());
    auto outputs = ir::interpret(stages->back().kernel, inputs.size(), inputs,
                                 {.shuffle_seed = 5, .sizes = {}, .sharing = &sharing, .stop = {}});
    QVERIFY2(outputs, (sentence(outputs) + schedule.script()).c_str());
    QCOMPARE(testing::difference(wanted, *outputs), std::string());
  }

  std::shared_ptr<Backend const> backend_;
};

QTEST_GUILESS_MAIN(RulesTest)
#include "rules_test.moc"
