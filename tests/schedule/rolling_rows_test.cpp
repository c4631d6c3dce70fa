// Stencils whose rows are kept: kernels and schedules at random that are made for rolling_buffer,
// which few of the other random traces come to.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/trace.h"
#include "tests/support/interpreted_schedules.h"
#include "tests/support/random_schedules.h"
#include "tests/support/stencil_kernels.h"

using namespace tw;

class RollingRowsTest : public QObject {
  Q_OBJECT
private slots:
  void rows_that_are_kept_are_those_that_would_be_computed_again() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261125;
    int traces = qEnvironmentVariableIntValue("TW_TRACES");
    if (traces <= 0) traces = 600;
    qInfo("seed %llu, %d traces", static_cast<unsigned long long>(seed), traces);
    Rng rng(seed);
    int kept = 0, after = 0, both = 0;
    for (int trace = 0; trace < traces; ++trace) {
      std::string text = testing::stencil(rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Schedule schedule(te::to_program(kernel).value());
      auto take = [&](Step const& step) {
        auto next = schedule.apply(step);
        if (next) schedule = std::move(*next);
        return next.has_value();
      };
      auto take_some = [&](int64_t tries) {
        int taken = 0;
        for (; tries > 0; --tries) taken += take(testing::propose_step(schedule.program(), rng));
        return taken;
      };
      if (rng.below(2) == 0) take({"split", {"Y.y"}, {{"factor", rng.between(2, 3)}}, {}});
      if (rng.below(3) == 0) {  // both producers in one loop, rows of the first one kept first
        auto last = ir::blocks_of(schedule.program().body).back();
        std::string at =
            last.loops.empty() ? "none" : reference_of(schedule.program(), last.loops[0]->id);
        bool there =
            take({"compute_at", {"B", at}, {}, {}}) && take({"compute_at", {"A", at}, {}, {}});
        both += there && take({"rolling_buffer", {"A"}, {}, {}}) &&
                take({"rolling_buffer", {"B"}, {}, {}});
      }
      take_some(rng.between(0, 2));
      for (char const* producer : {"B", "A"}) {
        std::vector<ir::LoopSite> loops = ir::loops_of(schedule.program().body);
        for (int tries = 0; tries < 6; ++tries)
          if (take({"compute_at",
                    {producer,
                     reference_of(schedule.program(),
                                  loops[size_t(rng.below(int64_t(loops.size())))].loop->id)},
                    {},
                    {}}))
            break;
        if (!take({"rolling_buffer", {producer}, {}, {}})) continue;
        ++kept;
        after += take_some(rng.between(4, 24));
      }
      std::string wrong = testing::disagreement(kernel, schedule, rng);
      QVERIFY2(wrong.empty(), (text + wrong).c_str());
    }
    qInfo("%d tensors of which rows are kept, %d steps after that; %d times two of one loop", kept,
          after, both);
    QVERIFY(kept * 8 >= traces && after >= kept);
    QVERIFY(both * 60 >= traces);
  }

  void rows_are_kept_data() {
    QTest::addColumn<QString>("kernel");
    QTest::addColumn<QString>("steps");
    QTest::newRow("three sweeps, one behind another")
        << "kernel heat(U: f32[14, 9]) -> C\n"
           "  A[y in 12, x in 7] = U[y+1, x+1] + 0.5 * (U[y, x+1] + U[y+2, x+1] + U[y+1, x])\n"
           "  B[y in 10, x in 5] = A[y+1, x+1] + 0.5 * (A[y, x+1] + A[y+2, x+1] + A[y+1, x])\n"
           "  C[y in 8, x in 3] = B[y+1, x+1] + 0.5 * (B[y, x+1] + B[y+2, x+1] + B[y+1, x])\n"
        << "compute_at(B, C.y)\ncompute_at(A, C.y)\nrolling_buffer(A)\nrolling_buffer(B)\n";
    QTest::newRow("strips of three sweeps")
        << "kernel heat(U: f32[14, 9]) -> C\n"
           "  A[y in 12, x in 7] = U[y+1, x+1] + 0.5 * (U[y, x+1] + U[y+2, x+1])\n"
           "  B[y in 10, x in 5] = A[y+1, x+1] + 0.5 * (A[y, x+1] + A[y+2, x+1])\n"
           "  C[y in 8, x in 3] = B[y+1, x+1] + 0.5 * (B[y, x+1] + B[y+2, x+1])\n"
        << "s, t = split(C.y, factor=4)\ncompute_at(B, t)\ncompute_at(A, t)\n"
           "rolling_buffer(A)\nrolling_buffer(B)\n";
    QTest::newRow("from the last rows to the first")
        << "kernel back(U: f32[14, 5]) -> C\n"
           "  A[y in 13, x in 5] = U[y+1, x] * 0.5 + U[y, x]\n"
           "  C[y in 11, x in 5] = A[12-y, x] + A[11-y, x] - A[10-y, x]\n"
        << "compute_at(A, C.y)\nrolling_buffer(A)\n";
    QTest::newRow("two sweeps back, by two rows")
        << "kernel back(U: f32[14, 5]) -> C\n"
           "  A[y in 13, x in 5] = U[y+1, x] * 0.5 + U[y, x]\n"
           "  B[y in 11, x in 5] = A[y, x] + A[y+2, x]\n"
           "  C[y in 4, x in 5] = sum[r in 5] B[6-2*y+r, x]\n"
        << "compute_at(B, C.y)\ncompute_at(A, C.y)\nrolling_buffer(A)\nrolling_buffer(B)\n";
    QTest::newRow("a recurrence in each row")
        << "kernel rows(X: f32[5, 8]) -> Y\n"
           "  H[scan t in 5, y in 8]: f32 = X[t, y] + select(1 <= t, H[t-1, y] * 0.5, 0)\n"
           "  Y[y in 6, t in 5] = H[t, y] + H[t, y+1] - H[t, y+2]\n"
        << "compute_at(H, Y.y)\nrolling_buffer(H)\n";
  }
  void rows_are_kept() {
    QFETCH(QString, kernel);
    QFETCH(QString, steps);
    te::Kernel parsed = testing::parsed_kernel(kernel.toStdString()).value();
    Schedule plain(te::to_program(parsed).value());
    auto script = parse_script("tilewright schedule 1\n" + steps.toStdString()).value();
    auto schedule = replay(plain, script);
    QVERIFY2(schedule, schedule ? "" : schedule.error().message.c_str());
    Rng rng(1);
    auto inputs = testing::random_inputs(parsed, rng);
    auto outputs = ir::interpret(schedule->program(), inputs, {.shuffle_seed = 3});
    QVERIFY2(outputs, ir::to_text(schedule->program()).c_str());
    QVERIFY2(te::judge(*outputs, testing::expected_of(parsed, inputs)).equal,
             ir::to_text(schedule->program()).c_str());
  }
};

QTEST_GUILESS_MAIN(RollingRowsTest)
#include "rolling_rows_test.moc"
