// Code generation: tiers, texts, and where each instruction comes from.
#include "targets/shared/llvm/machine.h"

#include <QtTest>

#include "targets/cpu/compiler/cpu_machine.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/device/test_kernels.h"

using namespace tw;

namespace {

// a[i] = a[i] * b + c over 1000 elements, with the lines of an imagined source: 3 the loop, 4 the
// load, 5 the arithmetic, 6 the store.
constexpr char kLocated[] = R"(
define i32 @axpy(ptr %a, float %b, float %c) !dbg !4 {
entry:
  br label %loop, !dbg !7
loop:
  %i = phi i64 [0, %entry], [%next, %loop], !dbg !7
  %at = getelementptr float, ptr %a, i64 %i, !dbg !8
  %x = load float, ptr %at, !dbg !8
  %y = call contract float @llvm.fmuladd.f32(float %x, float %b, float %c), !dbg !9
  store float %y, ptr %at, !dbg !10
  %next = add i64 %i, 1, !dbg !7
  %more = icmp slt i64 %next, 1000, !dbg !7
  br i1 %more, label %loop, label %done, !dbg !7
done:
  ret i32 0, !dbg !11
}
declare float @llvm.fmuladd.f32(float, float, float)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "test", isOptimized: true, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "kernel", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "axpy", file: !1, line: 2, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 3, column: 1, scope: !4)
!8 = !DILocation(line: 4, column: 1, scope: !4)
!9 = !DILocation(line: 5, column: 1, scope: !4)
!10 = !DILocation(line: 6, column: 1, scope: !4)
!11 = !DILocation(line: 7, column: 1, scope: !4)
)";

QStringList lines_of(Emitted const& emitted) {
  return QString::fromStdString(emitted.assembly).split('\n', Qt::SkipEmptyParts);
}

bool is_instruction(QString const& line) {
  return line.startsWith('\t') && !line.trimmed().startsWith('.');
}

}  // namespace

class MachineTest : public QObject {
  Q_OBJECT
private slots:
  void every_instruction_of_the_fast_tier_has_a_line() {
    Emitted emitted = test::generate_text(kLocated, CodeTier::kFast).value();
    QStringList lines = lines_of(emitted);
    QCOMPARE(size_t(lines.size()), emitted.source_line.size());
    int instructions = 0;
    for (int i = 0; i < lines.size(); ++i) {
      int line = emitted.source_line[size_t(i)];
      if (is_instruction(lines[i])) {
        ++instructions;
        QVERIFY2(line >= 2 && line <= 7, qPrintable(lines[i]));
      } else {
        QCOMPARE(line, 0);
      }
      if (lines[i].contains("fmadd")) QVERIFY(line == 5 || line == 4);
      if (lines[i].contains("\tret")) QCOMPARE(line, 7);
    }
    QCOMPARE(instructions, emitted.instructions);
    QVERIFY(instructions >= 6);
  }

  void seven_in_eight_instructions_of_the_full_tier_have_a_line_of_their_own() {
    Emitted emitted = test::generate_text(kLocated, CodeTier::kFull).value();
    qInfo("%d of %d instructions", emitted.instructions_located, emitted.instructions);
    QVERIFY(emitted.instructions_located * 8 >= emitted.instructions * 7);
  }

  void the_assembly_is_what_a_person_reads() {
    Emitted emitted = test::generate_text(kLocated, CodeTier::kFast).value();
    QString text = QString::fromStdString(emitted.assembly);
    QVERIFY(text.contains("axpy:"));
    for (char const* noise : {".loc", ".cfi", ".debug", ".Ltmp", ".file", ".ident"}) {
      QVERIFY2(!text.contains(noise), noise);
    }
    QVERIFY(emitted.ir.find("define i32 @axpy") != std::string::npos);
  }

  void the_full_tier_uses_the_machines_widest_vectors() {
    if (detect_host().unit().vector_bytes < 64) QSKIP("this machine has no 64-byte vectors");
    Emitted emitted = test::generate_text(kLocated, CodeTier::kFull).value();
    QVERIFY(emitted.assembly.find("zmm") != std::string::npos);
    Emitted fast = test::generate_text(kLocated, CodeTier::kFast).value();
    QVERIFY(fast.assembly.find("zmm") == std::string::npos);
  }

  void a_loop_that_fills_memory_stays_a_loop() {
    constexpr char kFill[] = R"(
define void @fill(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %at = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 100000
  br i1 %more, label %loop, label %done
done:
  ret void
}
)";
    Emitted emitted = test::generate_text(kFill, CodeTier::kFull).value();
    QVERIFY(emitted.assembly.find("memset") == std::string::npos);
    QVERIFY(test::build_library(kFill, CodeTier::kFull));
  }

  void what_the_code_generator_cannot_do_is_a_sentence() {
    constexpr char kImpossible[] = R"(
define void @kernel() {
  call void asm sideeffect "no such instruction", ""()
  ret void
}
)";
    auto refused = test::generate_text(kImpossible, CodeTier::kFast);
    QVERIFY(!refused && refused.error().code == "code_generation_failed");
  }

  void the_same_module_gives_the_same_bytes() {
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
      Emitted first = test::generate_text(kLocated, tier).value();
      Emitted second = test::generate_text(kLocated, tier).value();
      QVERIFY(first.object == second.object);
      QVERIFY(first.assembly == second.assembly);
    }
  }

  void the_described_processor_is_one_that_llvm_knows() {
    Machine machine = create_cpu_machine(detect_host()).value();
    QCOMPARE(machine.options().vector_bits, detect_host().unit().vector_bytes * 8);
  }

  void other_machines_can_be_named_and_unknown_ones_are_refused() {
    QVERIFY(Machine::create(MachineOptions{.triple = "aarch64-linux-gnu", .cpu = "cortex-a72"}));
    Error triple = Machine::create(MachineOptions{.triple = "abacus-unknown-unknown"}).error();
    QVERIFY(triple.code == "unknown_triple");
    Error processor =
        Machine::create(MachineOptions{.triple = "x86_64-linux-gnu", .cpu = "abacus"}).error();
    QVERIFY(processor.code == "unknown_processor");
    QVERIFY(processor.message == "LLVM does not know the processor 'abacus' of 'x86_64-linux-gnu'");
  }
};

QTEST_GUILESS_MAIN(MachineTest)
#include "machine_test.moc"
