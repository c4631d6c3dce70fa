// Schedules by rule for blocks and threads: which rule a kernel gets, and what its schedule
// computes for every answer that may be chosen.
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
constexpr char kLongProduct[] =
    "kernel product(A: f32[2, 5, 192], B: f32[2, 192, 18], Z: f32[18]) -> Y\n"
    "  C[b in 2, i in 5, j in 18] = sum[k in 192] A[b, i, k] * B[b, k, j]\n"
    "  Y[b in 2, i in 5, j in 18] = max(C[b, i, j] + Z[j], 0.0)\n";
constexpr char kSquares[] =
    "kernel squares(A: f32[32, 32]) -> C\n"
    "  C[i in 32, j in 32] = sum[k in 32] A[i, k] * A[k, j]\n";
constexpr char kWindow[] =
    "kernel windows(X: f32[64, 64], W: f32[16, 16]) -> C\n"
    "  C[i in 32, j in 32] = sum[k in 16] X[i + k, j] * W[k, j % 16]\n";

constexpr char kRows[] =
    "kernel rows(A: f32[3, 600]) -> S\n"
    "  S[i in 3] = max[k in 600] A[i, k]\n";
constexpr char kLongRows[] =
    "kernel rows(A: f32[2, 3, 9000]) -> S\n"
    "  S[b in 2, i in 3] = sum[k in 9000] A[b, i, k] * A[b, i, k]\n";
constexpr char kShortRows[] =
    "kernel rows(A: i32[37, 13]) -> S\n"
    "  S[i in 37] = sum[k in 13] A[i, k]\n";
constexpr char kFewTerms[] =
    "kernel rows(A: f32[37, 5]) -> S\n"
    "  S[i in 37] = sum[k in 5] A[i, k]\n";
constexpr char kColumns[] =
    "kernel columns(A: f32[2, 67, 39]) -> S\n"
    "  S[b in 2, j in 39] = sum[i in 67] A[b, i, j]\n";
constexpr char kTotal[] =
    "kernel total(A: f32[9, 257], B: f32[9, 257]) -> Y\n"
    "  D[i in 9, k in 257] = A[i, k] - B[i, k]\n"
    "  S[] = sum[i in 9, k in 257] D[i, k] * D[i, k]\n"
    "  Y[] = S[] / 2313.0\n";
constexpr char kSoftmax[] =
    "kernel softmax(X: f32[3, 150]) -> Y\n"
    "  M[i in 3] = max[j in 150] X[i, j]\n"
    "  E[i in 3, j in 150] = exp(X[i, j] - M[i])\n"
    "  S[i in 3] = sum[j in 150] E[i, j]\n"
    "  Y[i in 3, j in 150] = E[i, j] / S[i]\n";
constexpr char kAttention[] =
    "kernel attention(Q: f32[4, 5], K: f32[37, 5], V: f32[37, 7]) -> Y\n"
    "  P[i in 4, j in 37] = sum[d in 5] Q[i, d] * K[j, d]\n"
    "  M[i in 4] = max[j in 37] P[i, j]\n"
    "  E[i in 4, j in 37] = exp(P[i, j] - M[i])\n"
    "  S[i in 4] = sum[j in 37] E[i, j]\n"
    "  Y[i in 4, d in 7] = sum[j in 37] E[i, j] / S[i] * V[j, d]\n";
constexpr char kConvolution[] =
    "kernel conv(X: f32[2, 5, 7, 9], W: f32[11, 5, 3, 3], B: f32[11]) -> Y\n"
    "  P[n in 2, c in 5, y in 9, x in 11] = select(y >= 1 && y < 8 && x >= 1 && x < 10, "
    "X[n, c, y-1, x-1], 0.0)\n"
    "  C[n in 2, o in 11, y in 7, x in 9] = sum[c in 5, r in 3, s in 3] P[n, c, y+r, x+s] * "
    "W[o, c, r, s]\n"
    "  Y[n in 2, o in 11, y in 7, x in 9] = max(C[n, o, y, x] + B[o], 0.0)\n";
constexpr char kLongSums[] =
    "kernel conv(X: f32[3, 24, 7, 9], W: f32[10, 24, 3, 3]) -> C\n"
    "  C[n in 3, o in 10, y in 5, x in 7] = sum[c in 24, r in 3, s in 3] X[n, c, y+r, x+s] * "
    "W[o, c, r, s]\n";
constexpr char kStrided[] =
    "kernel conv(X: f32[6, 13, 19], W: f32[9, 6]) -> Y\n"
    "  Y[o in 9, y in 7, x in 10] = sum[c in 6] X[c, y*2, x*2] * W[o, c]\n";
constexpr char kGroups[] =
    "kernel conv(X: f32[2, 3, 8, 9], W: f32[2, 4, 3, 3, 3]) -> Y\n"
    "  Y[g in 2, o in 4, y in 6, x in 7] = sum[c in 3, r in 3, s in 3] X[g, c, y+r, x+s] * "
    "W[g, o, c, r, s]\n";
constexpr char kElements[] =
    "kernel elements(X: f32[6, 50], Z: f32[6]) -> Y\n"
    "  T[i in 6, j in 50] = X[i, j] * Z[i]\n"
    "  Y[i in 6, j in 50] = max(T[i, j], 0.0) + T[i, j]\n";
constexpr char kTransposed[] =
    "kernel exchange(X: f32[2, 37, 3, 21], Z: f32[37]) -> Y\n"
    "  T[b in 2, i in 37, c in 3, j in 21] = X[b, i, c, j] * 2.0\n"
    "  Y[b in 2, c in 3, j in 21, i in 37] = T[b, i, c, j] + Z[i]\n";
constexpr char kOtherRows[] =
    "kernel other(X: f32[16, 16]) -> Y\n"
    "  S[i in 16] = sum[j in 16] X[i, j]\n"
    "  Y[i in 16, j in 16] = X[i, j] / S[j]\n";

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

}  // namespace

class RulesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { backend_ = opencl::create_opencl_backend(opencl::any_device()).value(); }

  void each_gets_its_rule_data() {
    QTest::addColumn<QString>("kernel");
    QTest::addColumn<QStringList>("knobs");
    QStringList tiles{"C.own_rows", "C.own_columns", "C.pieces", "C.rows",
                      "C.columns",  "C.terms",       "C.parts"};
    QStringList batched{"C.own_rows", "C.own_columns", "C.rows", "C.columns", "C.terms", "C.parts"};
    QTest::newRow("product") << kSquare << tiles;
    QTest::newRow("product, odd, transposed") << kOdd << tiles;
    QTest::newRow("product, batched, with an epilogue") << kBatched << batched;
    QTest::newRow("product of bytes") << kBytes << tiles;
    QTest::newRow("rows") << kRows << QStringList{"S.threads", "S.rows"};
    QTest::newRow("long rows") << kLongRows << QStringList{"S.parts"};
    QTest::newRow("short rows") << kShortRows << QStringList{"S.threads", "S.rows"};
    QTest::newRow("columns") << kColumns << QStringList{"S.threads", "S.parts"};
    QTest::newRow("total") << kTotal << QStringList{"S.threads", "S.each"};
    QTest::newRow("softmax") << kSoftmax << QStringList{"Y.threads", "Y.rows"};
    QTest::newRow("attention") << kAttention << QStringList{"Y.threads", "Y.rows"};
    QStringList pictures{"C.as_product", "C.channels",    "C.channel_threads",
                         "C.own_rows",   "C.row_threads", "C.columns",
                         "C.pictures",   "C.terms",       "C.parts"};
    QTest::newRow("convolution") << kConvolution << pictures;
    QTest::newRow("convolution of long sums") << kLongSums << pictures;
    pictures.removeAll("C.pictures");
    QTest::newRow("strided convolution") << kStrided << pictures.replaceInStrings("C.", "Y.");
    QStringList windows{"C.rows", "C.threads"};
    QTest::newRow("product of few rows") << kSmall << tiles;
    QTest::newRow("product of long sums") << kLongProduct << batched;
    QTest::newRow("product of one factor twice") << kSquares << windows;
    QTest::newRow("product of a window") << kWindow << windows;
    QTest::newRow("convolution in groups") << kGroups << QStringList{"Y.rows", "Y.threads"};
    QTest::newRow("elements") << kElements << QStringList{"Y.neighbours", "Y.threads"};
    QTest::newRow("transposed") << kTransposed << QStringList{"Y.side"};
    QTest::newRow("few terms") << kFewTerms << QStringList();
    QTest::newRow("sums of other rows") << kOtherRows << QStringList();
  }
  void each_gets_its_rule() {
    QFETCH(QString, kernel);
    QFETCH(QStringList, knobs);
    te::Kernel parsed = testing::parsed_kernel(kernel.toStdString()).value();
    ir::Program program = te::to_program(parsed).value();
    Rng rng(3);
    std::vector<NDArray> inputs = testing::random_inputs(parsed, rng);
    auto wanted = ir::interpret(program, inputs).value();
    Decisions by_rule;
    Schedule schedule = backend_->templated(program, by_rule).value();
    QStringList asked;
    for (Knob const& knob : by_rule.knobs()) asked.append(QString::fromStdString(knob.name));
    QCOMPARE(asked, knobs);
    QVERIFY2(schedule.trace().size() <= 25, schedule.script().c_str());
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

  /// Of kernels that no rule was made for. TW_TEST_SEED and TW_TEST_TRACES: which, and how many.
  void random_kernels_are_right() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261129;
    int kernels = qEnvironmentVariableIntValue("TW_TEST_TRACES");
    if (kernels <= 0) kernels = 300;
    qInfo("seed %llu, %d kernels", static_cast<unsigned long long>(seed), kernels);
    Rng rng(seed);
    int lowered = 0, asked = 0;
    for (int i = 0; i < kernels; ++i) {
      std::string text = testing::test_kernel(i, testing::kernel_set(), rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Decisions decisions(
          Point{}, [&](Knob const& knob) { return int(rng.below(int64_t(knob.values.size()))); });
      auto schedule = backend_->templated(te::to_program(kernel).value(), decisions);
      QVERIFY2(schedule, (sentence(schedule) + text).c_str());
      if (decisions.rejection()) continue;
      auto stages = lower(schedule->program(), backend_->target(), backend_->passes());
      if (!stages) {
        QVERIFY2(stages.error().code != "pass_failed_check", (sentence(stages) + text).c_str());
        continue;
      }
      ++lowered;
      asked += !decisions.knobs().empty();
      std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
      ir::Sharing sharing = placed_sharing(backend_->target());
      auto outputs =
          ir::interpret(stages->back().kernel, inputs.size(), inputs,
                        {.shuffle_seed = seed, .sizes = {}, .sharing = &sharing, .stop = {}});
      std::string said = text + schedule->script();
      QVERIFY2(outputs, (sentence(outputs) + said).c_str());
      QVERIFY2(te::judge(*outputs, testing::expected_of(kernel, inputs)).equal, said.c_str());
    }
    qInfo("%d lowered, %d by a rule with choices", lowered, asked);
    QVERIFY(lowered * 2 >= kernels && asked * 4 >= kernels);
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
