// Casts between vectors and tiles: none of them may be left for LLVM, which reads freed memory
// where there are many.
#include <fmt/format.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include <QtTest>

#include "targets/cpu/compiler/cpu_machine.h"
#include "targets/cpu/compiler/cpu_targets.h"
#include "targets/shared/llvm/machine.h"
#include "targets/shared/llvm/tile_values.h"

using namespace tw;

namespace {

std::string const kDeclarations = R"(
declare x86_amx @llvm.x86.cast.vector.to.tile.v256i32(<256 x i32>)
declare <256 x i32> @llvm.x86.cast.tile.to.vector.v256i32(x86_amx)
declare x86_amx @llvm.x86.tdpbssd.internal(i16, i16, i16, x86_amx, x86_amx, x86_amx)
)";

/// value = sum + first * second, all of them vectors.
std::string product(std::string const& value, std::string const& sum, std::string const& first,
                    std::string const& second) {
  std::string text;
  for (auto const& [tile, vector] :
       {std::pair("s", sum), std::pair("a", first), std::pair("b", second)})
    text += fmt::format(
        "  {}.{} = call x86_amx @llvm.x86.cast.vector.to.tile.v256i32(<256 x i32> {})\n", value,
        tile, vector);
  return text +
         fmt::format(
             "  {0}.t = call x86_amx @llvm.x86.tdpbssd.internal(i16 16, i16 64, i16 64, "
             "x86_amx {0}.s, x86_amx {0}.a, x86_amx {0}.b)\n"
             "  {0} = call <256 x i32> @llvm.x86.cast.tile.to.vector.v256i32(x86_amx {0}.t)\n",
             value);
}

/// As many sums as `sums` stay in tiles through a loop; each begins as something else, and what
/// comes out is stored, or computed with. The first operand is loaded, the second a vector's sum.
std::string loop_of_sums(int sums) {
  std::string head, body, end;
  for (int i = 0; i < sums; ++i) {
    std::string begin = i % 3 == 0 ? "zeroinitializer" : i % 3 == 1 ? "%loaded" : "%sum";
    head += fmt::format("  %p{0} = phi <256 x i32> [ {1}, %entry ], [ %v{0}, %loop ]\n", i, begin);
    body += product(fmt::format("%v{}", i), fmt::format("%p{}", i), "%first", "%sum");
    end += i % 2 == 0 ? fmt::format("  store <256 x i32> %v{}, ptr %out, align 64\n", i)
                      : fmt::format(
                            "  %x{0} = xor <256 x i32> %v{0}, %p{0}\n"
                            "  store <256 x i32> %x{0}, ptr %out, align 64\n",
                            i);
  }
  return kDeclarations +
         "define void @kernel(ptr %in, ptr %out, i64 %n) {\nentry:\n"
         "  %loaded = load <256 x i32>, ptr %in, align 64\n"
         "  %sum = add <256 x i32> %loaded, %loaded\n  br label %loop\nloop:\n" +
         "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n" + head +
         "  %at = getelementptr i32, ptr %in, i64 %i\n"
         "  %first = load <256 x i32>, ptr %at, align 4\n" +
         body +
         "  %next = add i64 %i, 256\n  %more = icmp ult i64 %next, %n\n"
         "  br i1 %more, label %loop, label %end\nend:\n" +
         end + "  ret void\n}\n";
}

int casts_in(llvm::Module& module) {
  int casts = 0;
  for (llvm::Function& function : module)
    for (llvm::Instruction& one : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&one))
        casts += call->getIntrinsicID() == llvm::Intrinsic::x86_cast_tile_to_vector ||
                 call->getIntrinsicID() == llvm::Intrinsic::x86_cast_vector_to_tile;
  return casts;
}

}  // namespace

class TileCastsTest : public QObject {
  Q_OBJECT
private slots:
  void none_is_left_data() {
    QTest::addColumn<int>("sums");
    for (int sums : {1, 2, 7, 24}) QTest::addRow("%d sums", sums) << sums;
  }
  void none_is_left() {
    QFETCH(int, sums);
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    auto module = llvm::parseAssemblyString(loop_of_sums(sums), problem, context);
    QVERIFY2(module, problem.getMessage().str().c_str());
    QCOMPARE(casts_in(*module), 4 * sums);
    lower_tile_casts(*module);
    std::string found;
    llvm::raw_string_ostream words(found);
    QVERIFY2(!llvm::verifyModule(*module, &words), found.c_str());
    QCOMPARE(casts_in(*module), 0);
  }

  /// More sums than there are registers: LLVM spills.
  void many_sums_are_compiled() {
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    auto module = llvm::parseAssemblyString(loop_of_sums(24), problem, context);
    QVERIFY(module);
    auto machine = create_cpu_machine(cpu_target("cpu:x86-64-amx").value(), "").value();
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
      auto code = machine.generate(*module, tier, CodeTexts::kAll, {});
      QVERIFY2(code, code ? "" : to_sentence(code.error()).c_str());
    }
  }
};

QTEST_GUILESS_MAIN(TileCastsTest)
#include "tile_casts_test.moc"
