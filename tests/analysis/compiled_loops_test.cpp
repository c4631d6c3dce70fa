// What a compiler makes of loops that nobody annotated.
#include "engine/analysis/compiled_loops.h"

#include <QtTest>

#include "engine/analysis/instructions.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/schedule.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"

using namespace tw;

namespace {

/// "i:200 j:13 | j.lane:16": the loops from outside to inside, what is copied behind the bar.
std::string loops_of(std::string const& kernel, std::string const& script) {
  auto program = te::to_program(te::parse_kernel("tilewright te 1\n" + kernel).value()).value();
  auto schedule = replay(Schedule(program), parse_script(script, "test", true).value()).value();
  ir::BlockSite site = ir::blocks_of(schedule.program().body).back();
  analysis::CompiledSite made = analysis::compiled(site, 16);
  std::string text;
  for (ir::For const* loop : made.site.loops) {
    if (!text.empty()) text += " ";
    if (loop->loop_kind == ir::LoopKind::kVector) text += "lanes ";
    if (loop->loop_kind == ir::LoopKind::kUnroll) text += "unrolled ";
    text += loop->name() + ":" + std::to_string(ir::as_int(loop->extent).value());
  }
  return text;
}

std::string product(int64_t sums) {
  std::string k = std::to_string(sums);
  return "kernel m(A: f32[64, " + k + "], B: f32[" + k +
         ", 200]) -> C\n  C[i in 64, j in 200] = " + "sum[k in " + k + "] A[i, k] * B[k, j]\n";
}

std::string map_of(std::string const& value, std::string const& type = "f32") {
  return "kernel m(X: " + type + "[64, 200], Z: " + type + "[200, 64], N: i64[200]) -> Y\n" +
         "  Y[i in 64, j in 200] = " + value + "\n";
}

}  // namespace

class CompiledLoopsTest : public QObject {
  Q_OBJECT
private slots:
  void loops_are_cut_where_a_compiler_cuts_them_data() {
    QTest::addColumn<QString>("kernel");
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("loops");
    auto row = [](char const* name, std::string const& kernel, char const* script,
                  char const* loops) {
      QTest::newRow(name) << QString::fromStdString(kernel) << script << loops;
    };
    char const* cut = "i:64 j:13 lanes j.lane:16";
    char const* whole = "i:64 j:200";
    row("a map", map_of("X[i, j] + X[i, j]"), "", cut);
    row("a map of doubles", map_of("X[i, j] + X[i, j]", "f64"), "", "i:64 j:25 lanes j.lane:8");
    row("one number for all", map_of("X[i, 3] + 1.0"), "", cut);
    row("a choice", map_of("select(X[i, j] < 0.0, 0.0, 1.0)"), "", cut);
    row("a guarded read", map_of("select(j < 100, X[i, j], 0.0)"), "", cut);
    row("across rows", map_of("Z[j, i]"), "", whole);
    row("with strides", map_of("X[i, j // 2 * 2]"), "", whole);
    row("a gather", map_of("X[i, max(0, min(N[j], 199))]"), "", whole);
    row("a power", map_of("pow(X[i, j], X[i, j])"), "", whole);
    row("the other loop inside", map_of("X[i, j]"), "reorder(Y.j, Y.i)\n",
        "j:13 unrolled i:64 lanes j.lane:16");
    row("annotated", map_of("X[i, j]"), "split(Y.j, factor=20)\nvectorize(Y.j.1)\n",
        "i:64 j.0:10 lanes j.1:20");
    row("a guard", map_of("X[i, j]"), "split(Y.j, factor=128)\n", "i:64 j.0:2 j.1:128");
    row("unrolled inside", map_of("X[i, j]"), "reorder(Y.j, Y.i)\nsplit(Y.i, factor=2)\n",
        "j:13 unrolled i.0:32 unrolled i.1:2 lanes j.lane:16");
    row("a short sum", product(24), "", "i:64 j:13 unrolled k:24 lanes j.lane:16");
    row("a long sum", product(512), "", "i:64 j:200 k:512");
    row("sums beside each other", product(512), "reorder(C.k, C.j)\n",
        "i:64 k:512 j:13 lanes j.lane:16");
    row("a running sum",
        "kernel s(X: f32[400]) -> Y\n"
        "  Y[scan t in 400] = select(1 <= t, Y[t-1] * 0.5, 0.0) + X[t]\n",
        "", "t:400");
  }
  void loops_are_cut_where_a_compiler_cuts_them() {
    QFETCH(QString, kernel);
    QFETCH(QString, script);
    QFETCH(QString, loops);
    QCOMPARE(QString::fromStdString(loops_of(kernel.toStdString(), script.toStdString())), loops);
  }

  /// Integers may be summed in any order, floats may not.
  void only_sums_of_integers_are_cut_along_the_sum() {
    auto sum = [](std::string const& type) {
      return loops_of(
          "kernel s(X: " + type + "[8, 512]) -> Y\n  Y[i in 8] = sum[k in 512] X[i, k]\n", "");
    };
    QCOMPARE(sum("i32"), std::string("i:8 k:32 lanes k.lane:16"));
    QCOMPARE(sum("f32"), std::string("i:8 k:512"));
  }

  void what_is_cut_is_counted_as_vectors() {
    auto program =
        te::to_program(te::parse_kernel("tilewright te 1\n" + map_of("X[i, j] + X[i, 3]")).value());
    ir::BlockSite site = ir::blocks_of(program.value().body).back();
    auto written = analysis::instructions_of(site, 16);
    auto made = analysis::instructions_of(analysis::compiled(site, 16).site, 16);
    QCOMPARE(written.vector_accesses, 0.0);
    QCOMPARE(made.vector_accesses, 2.0 * 64 * 13);
    QCOMPARE(made.arithmetic, 64.0 * 13);
    QCOMPARE(made.lanes, 16.0);
  }
};

QTEST_GUILESS_MAIN(CompiledLoopsTest)
#include "compiled_loops_test.moc"
