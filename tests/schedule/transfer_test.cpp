// Schedules on other kernels: what plays the part of what, what is changed by rule, what is refused
// and why; and whatever is taken over computes the right thing.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/schedule/trace.h"
#include "engine/schedule/transfer.h"
#include "engine/te/te.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

constexpr char kConv[] =
    "tilewright te 1\n"
    "kernel conv(X: f32[1, 8, 16, 16], W: f32[16, 8, 3, 3], B: f32[16]) -> Z\n"
    "  pad[n in 1, c in 8, y in 18, x in 18] = select(1 <= y && y < 17 && 1 <= x && x < 17, X[n, "
    "c, "
    "y-1, x-1], 0)\n"
    "  Y[n in 1 as batch, o in 16 as out_channel, y in 16 as height, x in 16 as width] op conv2d = "
    "sum[c in 8 as in_channel, r in 3 as kernel_height, s in 3 as kernel_width] pad[n, c, y+r, "
    "x+s] "
    "* W[o, c, r, s]\n"
    "  Z[n in 1, o in 16, y in 16, x in 16] = max(Y[n, o, y, x] + B[o], 0)\n";
/// The same operator, other extents and names, a kernel of one by one.
constexpr char kOther[] =
    "tilewright te 1\n"
    "kernel other(X: f32[1, 4, 10, 10], W: f32[6, 4]) -> V\n"
    "  U[b in 1 as batch, k in 6 as out_channel, h in 10 as height, w in 10 as width] op conv2d = "
    "sum[c in 4 as in_channel] X[b, c, h, w] * W[k, c]\n"
    "  V[b in 1, k in 6, h in 10, w in 10] = max(U[b, k, h, w], 0)\n";
constexpr char kMatmul[] =
    "tilewright te 1\n"
    "kernel matmul(A: f32[12, 20], B: f32[20, 24]) -> C\n"
    "  C[i in 12, j in 24] = sum[k in 20] A[i, k] * B[k, j]\n";

Schedule plain(char const* text) {
  return Schedule(te::to_program(te::parse_kernel(text).value()).value());
}
Schedule with(char const* text, std::vector<std::string> const& lines) {
  Schedule schedule = plain(text);
  for (std::string const& line : lines) schedule = schedule.apply(parse_step(line).value()).value();
  return schedule;
}
QString words(Transfer const& transfer) {
  std::string text;
  for (TransferredStep const& step : transfer.steps)
    text += std::string(step.outcome == TransferOutcome::kApplied   ? "applied "
                        : step.outcome == TransferOutcome::kChanged ? "changed "
                                                                    : "refused ") +
            step.to + (step.reason.empty() ? "" : " | " + step.reason) + "\n";
  return QString::fromStdString(text);
}

}  // namespace

class TransferTest : public QObject {
  Q_OBJECT
private slots:
  void a_kernel_takes_its_own_schedule_as_it_is() {
    Schedule conv =
        with(kConv, {"o.0, o.1 = split(Y.o, factor=8)", "tx, ti = split(Y.x, factor=8)",
                     "reorder(Y.o.0, Y.y, Y.tx, Y.c, Y.r, Y.s, Y.o.1, Y.ti)", "vectorize(Y.ti)",
                     "unroll(Y.o.1)", "parallel(Y.o.0)", "reverse_compute_at(Z, Y.tx)"});
    Transfer again = transfer(conv, plain(kConv));
    QCOMPARE(again.schedule.script(), conv.script());
    for (TransferredStep const& step : again.steps)
      QVERIFY2(step.outcome == TransferOutcome::kApplied, step.reason.c_str());
  }

  void names_follow_roles_and_rules_are_said() {
    Schedule conv =
        with(kConv, {"o.0, o.1 = split(Y.o, factor=8)", "split(Y.x, factor=8)",
                     "reorder(Y.o.0, Y.y, Y.x.0, Y.c, Y.r, Y.s, Y.o.1, Y.x.1)", "vectorize(Y.x.1)",
                     "unroll(Y.r)", "parallel(Y.o.0)", "compute_inline(pad)"});
    Transfer done = transfer(conv, plain(kOther));
    QCOMPARE(
        words(done),
        QString(
            "changed split(U.k, factor=6) | factor 8 became 6, all iterations of U.k\n"
            "changed split(U.w, factor=8) | factor 8 does not divide the 10 iterations of U.w: the "
            "remainder is guarded\n"
            "changed reorder(U.k.0, U.h, U.w.0, U.c, U.k.1, U.w.1) | Y.r, Y.s left out: no match\n"
            "applied vectorize(U.w.1)\n"
            "refused  | no loop of other corresponds to Y.r\n"
            "applied parallel(U.k.0)\n"
            "refused  | no block of other corresponds to pad\n"));
    same_output(done.schedule);
    auto has = [&](char const* line) {
      return std::ranges::find(done.matches, line) != done.matches.end();
    };
    QVERIFY(has("Y.o is U.k (by role)"));
    QVERIFY(has("Z.x is V.w (by kind)"));
    QVERIFY(has("Y.r has no match in U"));
    QVERIFY(has("pad has no match in other"));
  }

  void a_kernel_without_roles_is_matched_by_kind() {
    Schedule conv = with(kConv, {"split(Y.x, factor=8)", "reorder(Y.x.0, Y.c, Y.x.1)",
                                 "vectorize(Y.x.1)", "parallel(Y.y)"});
    Transfer done = transfer(conv, plain(kMatmul));
    QCOMPARE(words(done), QString("applied split(C.j, factor=8)\n"
                                  "applied reorder(C.j.0, C.k, C.j.1)\n"
                                  "applied vectorize(C.j.1)\n"
                                  "applied parallel(C.i)\n"));
    same_output(done.schedule);
  }

  void what_a_refused_step_would_have_made_is_missing_later() {
    // r exists in the convolution only; its halves do, too.
    Schedule conv = with(kConv, {"split(Y.r, factor=3)", "unroll(Y.r.1)", "parallel(Y.o)"});
    Transfer done = transfer(conv, plain(kMatmul));
    QCOMPARE(words(done), QString("refused  | no loop of matmul corresponds to Y.r\n"
                                  "refused  | no loop of matmul corresponds to Y.r.1\n"
                                  "refused  | no loop of matmul corresponds to Y.o\n"));
    QVERIFY(done.schedule.trace().empty());
  }

  void an_illegal_step_is_refused_with_the_engine_s_reason() {
    Schedule conv = with(kConv, {"parallel(Z.y)"});
    constexpr char kScan[] =
        "tilewright te 1\nkernel scan(X: f32[16, 8]) -> H\n"
        "  H[scan y in 16, x in 8]: f32 = X[y, x] + select(1 <= y, H[y-1, x] * 0.5, 0)\n";
    Transfer done = transfer(conv, plain(kScan));
    QCOMPARE(done.steps.size(), size_t(1));
    QVERIFY(done.steps[0].outcome == TransferOutcome::kRefused);
    QVERIFY(!done.steps[0].reason.empty());
  }

  void caches_and_layouts_name_the_tensor_that_is_read_in_that_place() {
    Schedule conv = with(kConv, {"cache_read(Y, tensor=W)", "parallel(W_cache.d0)"});
    Transfer done = transfer(conv, plain(kMatmul));
    QVERIFY2(words(done).startsWith("applied cache_read(C, tensor=B)\n"), qPrintable(words(done)));
    same_output(done.schedule);
  }

  /// Whatever is accepted on one random kernel may be tried on every other one: the result computes
  /// what the plain kernel does.
  void random_schedules_on_other_kernels_compute_the_same() {
    int taken = 0;
    size_t count = testing::small_kernels().size();
    for (size_t from = 0; from < count; ++from)
      for (size_t to = 0; to < count; ++to)
        for (uint64_t seed = 1; seed <= 4; ++seed) {
          Rng rng(100 * from + seed);
          Schedule random = random_schedule(Schedule(testing::small_program(from).value()), rng);
          Transfer done = transfer(random, Schedule(testing::small_program(to).value()));
          QCOMPARE(done.steps.size(), random.trace().size());
          if (from == to)
            for (TransferredStep const& step : done.steps)
              QVERIFY2(step.outcome == TransferOutcome::kApplied,
                       (step.from + ": " + step.reason).c_str());
          taken += int(done.schedule.trace().size());
          same_output(done.schedule);
        }
    qInfo("%d steps taken over", taken);
    QVERIFY(taken > 200);
  }

private:
  /// Up to five legal steps out of many tries.
  static Schedule random_schedule(Schedule schedule, Rng& rng) {
    for (int tries = 0; tries < 60 && schedule.trace().size() < 5; ++tries)
      if (auto next = schedule.apply(testing::propose_step(schedule.program(), rng)))
        schedule = std::move(*next);
    return schedule;
  }
  static void same_output(Schedule const& schedule) {
    Rng rng(7);
    auto inputs = testing::random_inputs(schedule.origin(), rng);
    auto wanted = ir::interpret(schedule.origin(), inputs).value();
    auto got = ir::interpret(schedule.program(), inputs).value();
    for (size_t i = 0; i < wanted.size(); ++i)
      QVERIFY2(compare(got[i], wanted[i]).equal, schedule.script().c_str());
  }
};

QTEST_GUILESS_MAIN(TransferTest)
#include "transfer_test.moc"
