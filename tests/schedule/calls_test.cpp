// Steps on programs whose blocks are calls: what a call declares to read and to write decides.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/rewriting/expand_calls.h"
#include "engine/schedule/schedule.h"
#include "engine/schedule/trace.h"
#include "tests/support/counted_inputs.h"

using namespace tw;

namespace {

constexpr char kIntrinsics[] =
    "tilewright program 1\n"
    "intrinsic copy(write dst: f32[4], read src: f32[4])\n"
    "  for a in 4\n"
    "    dst[a] = src[a]\n"
    "intrinsic mma(update c: f32[4, 4], read a: f32[4, 4], read b: f32[4, 4])\n"
    "  for i in 4\n"
    "    for j in 4\n"
    "      for k in 4\n"
    "        c[i, j] = c[i, j]+a[i, k]*b[k, j]\n"
    "intrinsic sync() barrier\n";

/// P is made plainly, then a call for each tile reads 4x4 of it.
constexpr char kProduct[] =
    "program f(X: f32[8, 8], B: f32[8, 8]) -> (C: f32[8, 8])\n"
    "  alloc P: f32[8, 8] @global\n"
    "  for p in 8\n"
    "    for q in 8\n"
    "      block P(vp: 8 = p, vq: 8 = q)\n"
    "        P[vp, vq] = X[vp, vq]*2.0\n"
    "  for y in 8\n"
    "    for x in 8\n"
    "      block start(vy: 8 = y, vx: 8 = x)\n"
    "        C[vy, vx] = 0.0\n"
    "  for i in 2\n"
    "    for j in 2\n"
    "      for k in 2\n"
    "        block C(vi: 2 = i, vj: 2 = j, reduce vk: 2 = k)\n"
    "          call mma(C[vi*4+a, vj*4+b] over (a in 4, b in 4), "
    "P[vi*4+a, vk*4+b] over (a in 4, b in 4), B[vk*4+a, vj*4+b] over (a in 4, b in 4))\n";

/// P and what reads it stand beside a call that touches neither.
constexpr char kRows[] =
    "program f(X: f32[8, 8]) -> (D: f32[8, 8], E: f32[4])\n"
    "  alloc P: f32[8, 8] @global\n"
    "  for p in 8\n"
    "    for q in 8\n"
    "      block P(vp: 8 = p, vq: 8 = q)\n"
    "        P[vp, vq] = X[vp, vq]*2.0\n"
    "  for i in 8\n"
    "    for j in 8\n"
    "      block D(vi: 8 = i, vj: 8 = j)\n"
    "        D[vi, vj] = P[vi, vj]+1.0\n"
    "  block E()\n"
    "    call copy(E[a] over (a in 4), X[0, a] over (a in 4))\n";

/// A call that starts its sum itself.
constexpr char kStarting[] =
    "program f(A: f32[4, 8], B: f32[8, 4]) -> (C: f32[4, 4])\n"
    "  for k in 2\n"
    "    block C(reduce vk: 2 = k)\n"
    "      init\n"
    "        for a in 4\n"
    "          for b in 4\n"
    "            C[a, b] = 0.0\n"
    "      call mma(C[a, b] over (a in 4, b in 4), A[a, vk*4+b] over (a in 4, b in 4), "
    "B[vk*4+a, b] over (a in 4, b in 4))\n";

/// A sum and a call that goes on with it, in one loop.
constexpr char kBeside[] =
    "program f(A: f32[4, 8], B: f32[8, 4]) -> (C: f32[4, 4])\n"
    "  for k in 2\n"
    "    for i in 4\n"
    "      for j in 4\n"
    "        block C(vi: 4 = i, vj: 4 = j, reduce vk: 2 = k)\n"
    "          init C[vi, vj] = 0.0\n"
    "          C[vi, vj] = C[vi, vj]+A[vi, vk]\n"
    "    block M(reduce vk: 2 = k)\n"
    "      call mma(C[a, b] over (a in 4, b in 4), A[a, vk*4+b] over (a in 4, b in 4), "
    "B[vk*4+a, b] over (a in 4, b in 4))\n";

/// Each call moves four elements by one row.
constexpr char kShift[] =
    "program f(X: f32[9, 8]) -> (Y: f32[9, 8])\n"
    "  for y in 9\n"
    "    for x in 8\n"
    "      block first(vy: 9 = y, vx: 8 = x)\n"
    "        Y[vy, vx] = X[vy, vx]\n"
    "  for i in 8\n"
    "    for j in 2\n"
    "      block rows(vi: 8 = i, vj: 2 = j)\n"
    "        call copy(Y[vi+1, vj*4+a] over (a in 4), Y[vi, vj*4+a] over (a in 4))\n";

Schedule schedule_of(std::string const& text) {
  return Schedule(ir::parse_program(kIntrinsics + text).value());
}

}  // namespace

class CallsTest : public QObject {
  Q_OBJECT
private slots:
  void steps_beside_calls_compute_the_same_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("steps");
    QTest::newRow("reorder tiles") << kProduct << "reorder(C.k, C.i, C.j)";
    QTest::newRow("split and reorder")
        << kProduct << "i0, i1 = split(C.i, factor=2)\nreorder(C.j, i1)";
    QTest::newRow("fuse") << kProduct << "fuse(C.i, C.j)";
    QTest::newRow("parallel tiles") << kProduct << "parallel(C.i)";
    QTest::newRow("unroll") << kProduct << "unroll(C.k)";
    QTest::newRow("compute_at a row of tiles") << kProduct << "compute_at(P, C.i)";
    QTest::newRow("compute_at one tile") << kProduct << "compute_at(P, C.k)";
    QTest::newRow("align rows that no call reads")
        << kRows << "compute_at(P, D.i)\nstorage_align(P, dim=0, factor=16)";
    QTest::newRow("turn a tensor that no call reads") << kRows << "transform_layout(P, layout=BA)";
    QTest::newRow("a tile ahead of its calls")
        << kProduct << "compute_at(P, C.k)\ndouble_buffer(P)";
    QTest::newRow("decompose beside a call") << kBeside << "decompose_reduction(C.k)";
    QTest::newRow("columns are independent") << kShift << "parallel(rows.j)";
    QTest::newRow("columns may come first") << kShift << "reorder(rows.j, rows.i)";
  }
  void steps_beside_calls_compute_the_same() {
    QFETCH(QString, program);
    QFETCH(QString, steps);
    Schedule plain = schedule_of(program.toStdString());
    auto after =
        replay(plain, parse_script("tilewright schedule 1\n" + steps.toStdString() + "\n").value());
    QVERIFY2(after.has_value(), after ? "" : after.error().message.c_str());
    std::vector<NDArray> inputs = testing::counted_inputs(plain.program());
    NDArray expected = ir::interpret(plain.program(), inputs).value()[0];
    for (uint64_t seed : {0, 7}) {
      auto out = ir::interpret(after->program(), inputs, {.shuffle_seed = seed});
      QVERIFY2(out.has_value(), out ? "" : out.error().message.c_str());
      QCOMPARE((*out)[0].hash(), expected.hash());
    }
    auto again = ir::parse_program(ir::to_text(after->program()));
    QVERIFY(again && ir::equal(*again, after->program()));
  }

  void a_tile_is_all_that_is_computed_for_it() {
    auto after = schedule_of(kProduct).apply(parse_step("compute_at(P, C.k)").value());
    QVERIFY2(after.has_value(), after ? "" : after.error().message.c_str());
    auto blocks = ir::blocks_of(after->program().body);
    auto p = std::ranges::find(blocks, "P", [](auto const& site) { return site.block->name; });
    int64_t runs = 1;
    for (ir::For const* loop : p->loops) runs *= *ir::as_int(loop->extent);
    QCOMPARE(runs, 2 * 2 * 2 * 16);
  }

  void steps_across_calls_are_refused_with_the_pair_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("step");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("message");
    QTest::newRow("rows depend on rows") << kShift << "parallel(rows.i)"
                                         << "dependence_carried"
                                         << "which the first one writes and the second one reads";
    QTest::newRow("parallel sum") << kProduct << "parallel(C.k)"
                                  << "reduction_carried"
                                  << "both update C";
    QTest::newRow("vector of calls") << kProduct << "vectorize(C.j)"
                                     << ""
                                     << "";
    QTest::newRow("the call itself") << kProduct << "compute_inline(C)"
                                     << "block_is_a_call"
                                     << "a call of mma";
    QTest::newRow("decompose a call") << kProduct << "decompose_reduction(C.k)"
                                      << "not_one_reduction"
                                      << "does not start a reduction";
    QTest::newRow("decompose a call that starts") << kStarting << "decompose_reduction(C.k)"
                                                  << "not_one_reduction"
                                                  << "";
    QTest::newRow("factor a call") << kProduct << "rfactor(C.k)"
                                   << "not_one_reduction"
                                   << "";
    QTest::newRow("factor a call that starts") << kStarting << "rfactor(C.k)"
                                               << "not_one_reduction"
                                               << "";
    QTest::newRow("turn what a call reads") << kProduct << "transform_layout(P, layout=BA)"
                                            << "used_by_a_call"
                                            << "a call of mma";
    QTest::newRow("align what a call reads") << kProduct << "storage_align(P, dim=0, factor=16)"
                                             << "used_by_a_call"
                                             << "a call of mma";
    QTest::newRow("made for none") << kProduct << "cache_write(P)"
                                   << "program_has_calls"
                                   << "calls";
  }
  void steps_across_calls_are_refused_with_the_pair() {
    QFETCH(QString, program);
    QFETCH(QString, step);
    QFETCH(QString, code);
    QFETCH(QString, message);
    auto after = schedule_of(program.toStdString()).apply(parse_step(step.toStdString()).value());
    QVERIFY(!after);
    if (!code.isEmpty()) QCOMPARE(QString::fromStdString(after.error().code), code);
    QVERIFY2(after.error().message.find(message.toStdString()) != std::string::npos,
             after.error().message.c_str());
    if (code.endsWith("_carried")) QVERIFY(after.error().conflict.has_value());
  }

  void a_barrier_keeps_all_others_on_their_side_data() {
    QTest::addColumn<QString>("step");
    QTest::addColumn<QString>("code");
    QTest::newRow("split") << "split(C.i, factor=2)"
                           << "";
    QTest::newRow("unroll") << "unroll(P.p)"
                            << "";
    QTest::newRow("into a loop behind it") << "compute_at(P, C.i)"
                                           << "across_a_barrier";
  }
  void a_barrier_keeps_all_others_on_their_side() {
    QFETCH(QString, step);
    QFETCH(QString, code);
    std::string text = kProduct;
    text.insert(text.find("  for i in 2\n"), "  block wait()\n    call sync()\n");
    auto after = schedule_of(text).apply(parse_step(step.toStdString()).value());
    QCOMPARE(after ? QString() : QString::fromStdString(after.error().code), code);
  }

  void a_barrier_inside_of_loops_keeps_their_order() {
    std::string text = kProduct;
    text.insert(text.find("        block C("), "        block wait()\n          call sync()\n");
    Schedule schedule = schedule_of(text);
    QVERIFY(schedule.apply(parse_step("split(C.i, factor=2)").value()));
    for (char const* step : {"reorder(C.j, C.i)", "tile(C.i, C.j, y=2, x=2)", "parallel(C.i)"}) {
      auto after = schedule.apply(parse_step(step).value());
      QVERIFY2(!after, step);
    }
  }

  void written_out_programs_compute_the_same() {
    for (char const* text : {kProduct, kShift, kStarting, kBeside}) {
      ir::Program program = schedule_of(text).program();
      ir::Program plain = with_calls_expanded(program);
      QVERIFY(!has_calls(plain) && has_calls(program));
      QVERIFY2(ir::verify(plain), ir::to_text(plain).c_str());
      std::vector<NDArray> inputs = testing::counted_inputs(program);
      QCOMPARE(ir::interpret(plain, inputs).value()[0].hash(),
               ir::interpret(program, inputs).value()[0].hash());
    }
  }

  void accesses_of_a_call_are_those_of_its_operands() {
    Schedule schedule = schedule_of(kProduct);
    auto blocks = ir::blocks_of(schedule.program().body);
    std::vector<Access> accesses = accesses_of(blocks.back());
    std::map<std::string, int> reads, writes;
    for (Access const& access : accesses) {
      QCOMPARE(access.axes.size(), size_t(2));
      ++(access.writes ? writes : reads)[access.buffer];
    }
    QCOMPARE(reads, (std::map<std::string, int>{{"B", 1}, {"C", 1}, {"P", 1}}));
    QCOMPARE(writes, (std::map<std::string, int>{{"C", 1}}));
  }
};

QTEST_GUILESS_MAIN(CallsTest)
#include "calls_test.moc"
