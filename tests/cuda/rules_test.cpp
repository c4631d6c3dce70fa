// Schedules by rule whose tiles a described GPU's model chooses: long sums of few elements are made
// in parts, and what is chosen computes the same.
#include <QtTest>

#include <cmath>

#include "targets/cuda/compiler/cuda_backend.h"
#include "targets/cuda/compiler/rates.h"
#include "targets/cuda/hardware/description.h"
#include "targets/shared/gpu/online_attention.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

constexpr char kLongProduct[] =
    "kernel product(A: f32[17, 2048], B: f32[2048, 19]) -> C\n"
    "  C[i in 17, j in 19] = sum[k in 2048] A[i, k] * B[k, j]\n";
constexpr char kFewRows[] =
    "kernel product(A: f32[2, 3, 1536], B: f32[2, 1536, 33], Z: f32[33]) -> Y\n"
    "  C[b in 2, i in 3, j in 33] = sum[k in 1536] A[b, i, k] * B[b, k, j]\n"
    "  Y[b in 2, i in 3, j in 33] = C[b, i, j] + Z[j]\n";
constexpr char kVector[] =
    "kernel product(A: f32[1, 1000], B: f32[1000, 130]) -> C\n"
    "  C[i in 1, j in 130] = sum[k in 1000] A[i, k] * B[k, j]\n";
constexpr char kConvolution[] =
    "kernel conv(X: f32[1, 128, 7, 7], W: f32[16, 128, 3, 3], B: f32[16]) -> Y\n"
    "  P[n in 1, c in 128, y in 9, x in 9] = select(1 <= y && y < 8 && 1 <= x && x < 8, "
    "X[n, c, y-1, x-1], 0.0)\n"
    "  C[n in 1, o in 16, y in 7, x in 7] = sum[c in 128, r in 3, s in 3] P[n, c, y+r, x+s] * "
    "W[o, c, r, s]\n"
    "  Y[n in 1, o in 16, y in 7, x in 7] = max(C[n, o, y, x] + B[o], 0.0)\n";
constexpr char kPointwise[] =
    "kernel conv(X: f32[3, 256, 5, 9], W: f32[12, 256]) -> Y\n"
    "  Y[n in 3, o in 12, y in 5, x in 9] = sum[c in 256] X[n, c, y, x] * W[o, c]\n";

constexpr int64_t kMostLines = 25;  // of a script

constexpr char kAttention[] =
    "kernel attention(Q: f32[3, 43, 9], K: f32[3, 97, 9], V: f32[3, 97, 16]) -> Y\n"
    "  P[h in 3, i in 43, j in 97] = sum[d in 9] Q[h, i, d] * K[h, j, d]\n"
    "  M[h in 3, i in 43] = max[j in 97] P[h, i, j]\n"
    "  E[h in 3, i in 43, j in 97] = exp(P[h, i, j] - M[h, i])\n"
    "  S[h in 3, i in 43] = sum[j in 97] E[h, i, j]\n"
    "  Y[h in 3, i in 43, d in 16] = sum[j in 97] E[h, i, j] / S[h, i] * V[h, j, d]\n";

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

}  // namespace

class RulesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    for (cuda::KnownGpu const& one : cuda::known_gpus())
      if (one.name == "h100") backend_ = cuda::create_cuda_backend(one.hardware, {}).value();
    QVERIFY(backend_);
  }

  void long_sums_are_made_in_parts_data() {
    QTest::addColumn<QString>("kernel");
    QTest::newRow("product") << kLongProduct;
    QTest::newRow("product of few rows") << kFewRows;
    QTest::newRow("product of one row") << kVector;
    QTest::newRow("convolution") << kConvolution;
    QTest::newRow("convolution of one place") << kPointwise;
  }
  void long_sums_are_made_in_parts() {
    QFETCH(QString, kernel);
    te::Kernel parsed = testing::parsed_kernel(kernel.toStdString()).value();
    ir::Program program = te::to_program(parsed).value();
    Decisions by_rule;
    Schedule schedule = backend_->templated(program, by_rule).value();
    QVERIFY2(std::ranges::count(schedule.script(), '\n') <= kMostLines, schedule.script().c_str());
    auto parts = std::ranges::find_if(
        by_rule.knobs(), [](Knob const& knob) { return knob.name.ends_with(".parts"); });
    QVERIFY(parts != by_rule.knobs().end());
    QVERIFY2(parts->value() != "1", schedule.script().c_str());
    check(parsed, schedule);
    // As one sum: slower by the model.
    Decisions whole(Point{{parts->name, "1"}});
    Schedule other = backend_->templated(program, whole).value();
    check(parsed, other);
    QVERIFY(seconds(schedule) < seconds(other));
  }

  void attention_keeps_scores_of_several_rows_in_shared_memory() {
    te::Kernel parsed = testing::parsed_kernel(kAttention).value();
    ir::Program program = te::to_program(parsed).value();
    Decisions by_rule;
    Schedule schedule = backend_->templated(program, by_rule).value();
    QVERIFY2(std::ranges::count(schedule.script(), '\n') <= kMostLines, schedule.script().c_str());
    check(parsed, schedule);
    QStringList asked;
    for (Knob const& knob : by_rule.knobs()) asked.append(QString::fromStdString(knob.name));
    QCOMPARE(asked, (QStringList{"Y.rows", "Y.own_rows"}));
    for (Knob const& knob : by_rule.knobs())
      for (std::string const& value : knob.values) {
        Decisions other(Point{{knob.name, value}});
        auto changed = backend_->templated(program, other);
        QVERIFY2(changed, sentence(changed).c_str());
        if (!other.rejection()) check(parsed, *changed);
      }
  }

  void attention_runs_over_its_keys_in_one_pass_data() {
    QTest::addColumn<int>("outer");
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("keys");
    QTest::addColumn<int>("depth");
    QTest::addColumn<int>("columns");
    QTest::addColumn<bool>("masked");
    QTest::newRow("whole tiles") << 1 << 32 << 96 << 8 << 16 << false;
    QTest::newRow("odd lengths") << 1 << 19 << 75 << 5 << 16 << false;
    QTest::newRow("a key in the last tile") << 1 << 16 << 65 << 3 << 16 << false;
    QTest::newRow("two tiles") << 1 << 17 << 64 << 2 << 16 << false;
    QTest::newRow("masked") << 1 << 19 << 75 << 5 << 16 << true;
    QTest::newRow("one head") << 0 << 19 << 75 << 5 << 16 << false;
    QTest::newRow("one head, masked") << 0 << 19 << 75 << 5 << 16 << true;
    QTest::newRow("heads and batches") << 2 << 19 << 75 << 5 << 16 << false;
    QTest::newRow("heads and batches, masked") << 2 << 19 << 75 << 5 << 16 << true;
  }
  /// Tiles of 16 rows and 32 keys; a mask of -inf leaves some tiles and a whole row without a
  /// score.
  void attention_runs_over_its_keys_in_one_pass() {
    QFETCH(int, outer);
    QFETCH(int, rows);
    QFETCH(int, keys);
    QFETCH(int, depth);
    QFETCH(int, columns);
    QFETCH(bool, masked);
    te::Kernel parsed =
        testing::parsed_kernel(attention(outer, rows, keys, depth, columns, masked)).value();
    ir::Program program = te::to_program(parsed).value();
    auto stages = gpu::attention_of(program);
    QVERIFY(stages);
    QCOMPARE(stages->mask.empty(), !masked);
    gpu::OnlineTiles tiles{16, 4, 32, 4};
    auto target = std::make_shared<Target const>(backend_->target());
    QVERIFY(gpu::fits(*stages, tiles, *target));
    auto schedule = gpu::online_attention(program, target, *stages, tiles, ProofBudget::kWork);
    QVERIFY(schedule);
    QVERIFY2(std::ranges::count(schedule->script(), '\n') <= kMostLines,
             schedule->script().c_str());
    check(parsed, *schedule);
    if (!masked) return;
    Rng rng(3);
    std::vector<NDArray> inputs = testing::random_inputs(parsed, rng);
    for (int64_t i = 0; i < inputs[2].size(); ++i) {
      bool row = i / keys == 2, tile = i % keys < 40;
      if (row || tile || rng.below(3) == 0) inputs[2].set_value(i, -HUGE_VAL);
    }
    auto lowered = lower(schedule->program(), *target, backend_->passes()).value();
    auto wanted = ir::interpret(program, inputs).value();
    ir::Sharing sharing = placed_sharing(*target);
    auto got = ir::interpret(lowered.back().kernel, inputs.size(), inputs,
                             {.shuffle_seed = 5, .sizes = {}, .sharing = &sharing, .stop = {}});
    QVERIFY2(got, sentence(got).c_str());
    for (int64_t i = 0; i < wanted[0].size(); ++i) {
      double a = wanted[0].value_at(i), b = (*got)[0].value_at(i);
      QVERIFY(std::isnan(a) ? std::isnan(b) : std::abs(a - b) <= 1e-5);
      QCOMPARE(std::isnan(a), i / columns % rows == 2);
    }
  }

  void long_attention_runs_in_one_pass_by_default() {
    te::Kernel parsed = testing::parsed_kernel(attention(1, 128, 8192, 64, 64, true)).value();
    ir::Program program = te::to_program(parsed).value();
    Decisions by_rule;
    Schedule schedule = backend_->templated(program, by_rule).value();
    QVERIFY2(std::ranges::count(schedule.script(), '\n') <= kMostLines, schedule.script().c_str());
    QVERIFY2(schedule.script().find("online_softmax") != std::string::npos,
             schedule.script().c_str());
    QStringList asked;
    for (Knob const& knob : by_rule.knobs()) asked.append(QString::fromStdString(knob.name));
    QCOMPARE(asked, (QStringList{"Y.rows", "Y.own_rows", "Y.keys"}));
  }

private:
  /// Of as many outer dimensions: heads, and batches of them.
  static std::string attention(int outer, int rows, int keys, int depth, int columns, bool masked) {
    std::string of = outer == 0 ? "" : outer == 1 ? "2, " : "2, 2, ";
    std::string at = outer == 0 ? "" : outer == 1 ? "h, " : "b, h, ";
    std::string over = outer == 0 ? "" : outer == 1 ? "h in 2, " : "b in 2, h in 2, ";
    std::string scores = fmt::format("{}i in {}, j in {}", over, rows, keys);
    std::string text = fmt::format(
        "kernel attention(Q: f32[{6}{0}, {2}], K: f32[{6}{1}, {2}], {3}V: f32[{6}{1}, {4}]) -> Y\n"
        "  P[{5}] = sum[d in {2}] Q[{7}i, d] * K[{7}j, d]\n",
        rows, keys, depth, masked ? fmt::format("B: f32[{}, {}], ", rows, keys) : "", columns,
        scores, of, at);
    if (masked) text += fmt::format("  A[{}] = P[{}i, j] + B[i, j]\n", scores, at);
    return text + fmt::format(
                      "  M[{5}i in {1}] = max[j in {2}] {4}[{6}i, j]\n"
                      "  E[{0}] = exp({4}[{6}i, j] - M[{6}i])\n"
                      "  S[{5}i in {1}] = sum[j in {2}] E[{6}i, j]\n"
                      "  Y[{5}i in {1}, d in {3}] = sum[j in {2}] E[{6}i, j] / S[{6}i] * "
                      "V[{6}j, d]\n",
                      scores, rows, keys, columns, masked ? "A" : "P", over, at);
  }

  double seconds(Schedule const& schedule) const {
    Roofs roofs = cuda::roofs_of(backend_->target().hardware).value();
    return backend_->model_time(schedule.program(), analysis::Locality(schedule.program()), roofs)
        .value()
        .seconds;
  }

  /// The lowered kernel is interpreted, with races.
  void check(te::Kernel const& kernel, Schedule const& schedule) {
    auto stages = lower(schedule.program(), backend_->target(), backend_->passes());
    QVERIFY2(stages, (sentence(stages) + schedule.script()).c_str());
    Rng rng(7);
    std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
    ir::Sharing sharing = placed_sharing(backend_->target());
    auto outputs = ir::interpret(stages->back().kernel, inputs.size(), inputs,
                                 {.shuffle_seed = 5, .sizes = {}, .sharing = &sharing, .stop = {}});
    QVERIFY2(outputs, (sentence(outputs) + schedule.script()).c_str());
    QVERIFY2(te::judge(*outputs, testing::expected_of(kernel, inputs)).equal,
             schedule.script().c_str());
  }

  std::shared_ptr<Backend const> backend_;
};

QTEST_GUILESS_MAIN(RulesTest)
#include "rules_test.moc"
