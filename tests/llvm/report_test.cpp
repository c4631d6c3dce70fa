// What is said of code: instructions by LLVM's tables, loops by its model of the processor, and
// remarks of its passes.
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <QtTest>
#include <numeric>

#include "targets/shared/llvm/machine.h"
#include "tests/support/paths.h"

using namespace tw;

namespace {

Machine machine_for(std::string cpu, std::string triple = "x86_64-linux-gnu",
                    std::string features = "+avx2,+fma", std::string generator = "") {
  return Machine::create(
             {.triple = triple, .cpu = cpu, .features = features, .generator = generator})
      .value();
}

/// Each waits for the one before.
constexpr char kChain[] =
    ".LBB0_1:\n"
    "\tvfmadd231ps\t%ymm1, %ymm2, %ymm0\n"
    "\tdecq\t%rax\n"
    "\tjne\t.LBB0_1\n";

/// Ten sums: none waits for another one of its iteration.
std::string ten_sums() {
  std::string text = ".LBB0_1:\n";
  for (int i = 0; i < 10; ++i)
    text += "\tvfmadd231ps\t(%rdi), %ymm15, %ymm" + std::to_string(i) + "\n";
  return text + "\tdecq\t%rax\n\tjne\t.LBB0_1\n";
}

std::vector<int32_t> lines(int first, int last) {
  std::vector<int32_t> all(size_t(last - first + 1));
  std::iota(all.begin(), all.end(), first);
  return all;
}

double sum_of(LoopModel const& loop) {
  double sum = 0;
  for (LineCost const& line : loop.lines) sum += line.cycles;
  return sum;
}

// b[i] = b[i - 1] + a[i]: no loop of vectors can do that. Lines 3 to 6 of an imagined source.
constexpr char kPrefix[] = R"(
define void @prefix(ptr noalias %a, ptr noalias %b) !dbg !4 {
entry:
  br label %loop, !dbg !7
loop:
  %i = phi i64 [1, %entry], [%next, %loop], !dbg !7
  %before = sub i64 %i, 1, !dbg !8
  %from = getelementptr float, ptr %b, i64 %before, !dbg !8
  %x = load float, ptr %from, !dbg !8
  %with = getelementptr float, ptr %a, i64 %i, !dbg !8
  %y = load float, ptr %with, !dbg !8
  %sum = fadd float %x, %y, !dbg !9
  %to = getelementptr float, ptr %b, i64 %i, !dbg !10
  store float %sum, ptr %to, !dbg !10
  %next = add i64 %i, 1, !dbg !7
  %more = icmp slt i64 %next, 1000, !dbg !7
  br i1 %more, label %loop, label %done, !dbg !7
done:
  ret void, !dbg !7
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "test", isOptimized: true, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "kernel", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "prefix", file: !1, line: 2, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 3, column: 1, scope: !4)
!8 = !DILocation(line: 4, column: 1, scope: !4)
!9 = !DILocation(line: 5, column: 1, scope: !4)
!10 = !DILocation(line: 6, column: 1, scope: !4)
)";

Result<std::vector<CodeRemark>> remarks_of(Machine const& machine) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(kPrefix, diagnostic, context);
  if (!module) return bad_input("bad_ir", diagnostic.getMessage().str());
  return machine.remarks(*module);
}

}  // namespace

class ReportTest : public QObject {
  Q_OBJECT
private slots:
  void instructions_are_what_the_tables_say() {
    auto report = machine_for("znver3").report(
        "f:\n\tvfmadd231ps\t(%rdi), %ymm1, %ymm0\n\tvmovups\t%ymm0, 32(%rsi,%rax,4)\n"
        "\tcallq\t*8(%rax)\n\tretq\n\tno_such_thing\t%rax\n",
        {}, {});
    QVERIFY(report);
    auto const& all = report->instructions;
    QCOMPARE(all.size(), size_t(4));  // what cannot be read is left out
    QCOMPARE(all[0].line, 1);
    QCOMPARE(all[0].name, std::string("vfmadd231ps"));
    QVERIFY2(all[0].intel.find("vfmadd231ps\tymm0, ymm1, ymmword ptr [rdi]") != std::string::npos,
             all[0].intel.c_str());
    QVERIFY(all[0].loads && !all[0].stores && !all[0].branches);
    QCOMPARE(all[0].writes, std::vector<std::string>{"ymm0"});
    QCOMPARE(all[0].reads, (std::vector<std::string>{"ymm0", "ymm1", "rdi"}));
    QVERIFY(all[0].operations >= 1 && all[0].latency > 4 && all[0].interval == 0.5);
    QVERIFY(all[1].stores && !all[1].loads);
    QCOMPARE(all[1].reads, (std::vector<std::string>{"rsi", "rax", "ymm0"}));
    QVERIFY(all[2].calls && all[3].returns);
  }

  void a_chain_takes_its_latency_and_is_said_to_wait() {
    auto report = machine_for("znver3").report(kChain, lines(1, 3), {});
    QVERIFY(report && report->loop.failure.empty());
    LoopModel const& loop = report->loop;
    QVERIFY2(std::abs(loop.cycles - 4) < 0.1, qPrintable(QString::number(loop.cycles)));
    QVERIFY2(loop.bottleneck.starts_with("Instructions wait for results of earlier ones, "
                                         "vfmadd231ps the most"),
             loop.bottleneck.c_str());
    QCOMPARE(loop.processor, std::string("znver3"));
    QCOMPARE(loop.instructions, 3);
    QCOMPARE(loop.vector_registers, 3);
    QCOMPARE(loop.of_vector_registers, 16);
    QVERIFY(std::abs(sum_of(loop) - loop.cycles) < 1e-9);
    QVERIFY(loop.lines[0].cycles > 3);  // nothing else is waited for
  }

  void sums_that_wait_for_nothing_are_bound_by_ports() {
    auto report = machine_for("znver3").report(ten_sums(), lines(1, 12), {});
    QVERIFY(report && report->loop.failure.empty());
    LoopModel const& loop = report->loop;
    QVERIFY2(std::abs(loop.cycles - 5) < 0.3, qPrintable(QString::number(loop.cycles)));
    QVERIFY2(loop.bottleneck.find("bound the loop") != std::string::npos, loop.bottleneck.c_str());
    QCOMPARE(loop.vector_registers, 11);
    double busiest = 0;
    for (PortUse const& port : loop.ports) busiest = std::max(busiest, port.cycles);
    QVERIFY(std::abs(busiest - 5) < 0.3);
    QVERIFY(std::abs(sum_of(loop) - loop.cycles) < 1e-9);
  }

  void wide_registers_are_counted_once_whatever_their_width() {
    std::string text =
        "\tvaddps\t%ymm0, %ymm1, %ymm2\n\tvaddss\t%xmm0, %xmm1, %xmm2\n\tdecq\t%rax\n";
    auto report = machine_for("znver4", "x86_64-linux-gnu", "+avx512f,+avx512vl")
                      .report(text, lines(0, 2), {});
    QVERIFY(report);
    QCOMPARE(report->loop.vector_registers, 3);
    QCOMPARE(report->loop.of_vector_registers, 32);
  }

  void a_processor_without_a_model_and_lines_that_are_no_code_give_a_sentence_and_no_number() {
    auto report = machine_for("generic", "armv7-linux-gnueabihf", "+neon")
                      .report("\tadd\tr0, r0, #1\n", lines(0, 0), {});
    QVERIFY(report);
    QCOMPARE(report->loop.failure, std::string("LLVM has no model of the processor generic"));
    QCOMPARE(report->loop.cycles, 0.0);
    auto unread = machine_for("znver3").report("\tno_such_thing\t%rax\n", lines(0, 0), {});
    QVERIFY(unread);
    QCOMPARE(unread->loop.failure, std::string("LLVM cannot read 1 instruction of the loop"));
    auto none = machine_for("znver3").report("\tretq\n", {}, {});
    QVERIFY(none && none->loop.lines.empty());
  }

  void arm_code_is_modelled_too() {
    std::string text =
        ".LBB0_1:\n\tfmla\tv0.4s, v1.4s, v2.4s\n\tsubs\tx0, x0, #1\n\tb.ne\t.LBB0_1\n";
    auto report =
        machine_for("neoverse-n1", "aarch64-linux-gnu", "+neon").report(text, lines(1, 3), {});
    QVERIFY(report);
    QVERIFY2(report->loop.failure.empty(), report->loop.failure.c_str());
    QVERIFY(report->loop.cycles > 1 && report->loop.vector_registers == 3);
    QVERIFY(report->instructions[0].intel.empty());
    QVERIFY(report->instructions[2].branches);
  }

  void another_process_says_the_same() {
    Machine here = machine_for("znver3");
    Machine there =
        machine_for("znver3", "x86_64-linux-gnu", "+avx2,+fma", testing::built("/bin/tw-codegen"));
    std::string text = ten_sums();
    auto one = here.report(text, lines(1, 12), {}), other = there.report(text, lines(1, 12), {});
    QVERIFY(one && other);
    QVERIFY(one->instructions == other->instructions);
    QVERIFY(one->loop == other->loop);
    auto said = remarks_of(here), said_there = remarks_of(there);
    QVERIFY(said && said_there);
    QVERIFY(*said == *said_there);
  }

  void passes_say_why_a_loop_has_no_vectors_and_where() {
    auto remarks = remarks_of(machine_for("znver3"));
    QVERIFY(remarks);
    auto why = std::ranges::find_if(*remarks, [](CodeRemark const& remark) {
      return remark.pass == "loop-vectorize" && remark.kind != CodeRemark::Kind::kDone;
    });
    QVERIFY(why != remarks->end());
    QCOMPARE(why->line, 3);
    QVERIFY2(why->words.find("not vectorized") != std::string::npos, why->words.c_str());
    for (size_t i = 1; i < remarks->size(); ++i)
      QVERIFY((*remarks)[i].line == 0 || (*remarks)[i - 1].line <= (*remarks)[i].line);
  }

  void a_large_loop_is_modelled_within_the_blink_of_an_eye() {
    std::string text = ".LBB0_1:\n";
    for (int i = 0; i < 4000; ++i)
      text += "\tvfmadd231ps\t(%rdi), %ymm15, %ymm" + std::to_string(i % 12) + "\n";
    QElapsedTimer timer;
    timer.start();
    auto report = machine_for("znver3").report(text, lines(1, 4000), {});
    QVERIFY(report && report->loop.failure.empty());
    QVERIFY(std::abs(report->loop.cycles - 2000) < 40);
    qInfo("4000 instructions: %lld ms", timer.elapsed());
    QVERIFY(timer.elapsed() < 5000);
  }
};

QTEST_GUILESS_MAIN(ReportTest)
#include "report_test.moc"
