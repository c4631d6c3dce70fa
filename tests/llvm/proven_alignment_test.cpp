// Alignment of accesses, from what their addresses are made of: long sums, loops that add to an
// address, numbers of which nothing is known.
#include <QtTest>
#ifndef Q_MOC_RUN  // it does not come to an end of these
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#endif

#include "targets/shared/llvm/proven_alignment.h"

using namespace tw;

namespace {

/// Of the first load of a function with the body.
uint64_t alignment_in(std::string const& body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::string text =
      "@s = internal global [64 x i8] undef, align 32\n"
      "define void @f(ptr align 64 %p, ptr %q, i64 %n, i1 %c) {\n" +
      body + "}\n";
  auto module = llvm::parseAssemblyString(text, error, context);
  if (!module) qFatal("%s", error.getMessage().str().c_str());
  prove_alignments(*module);
  for (llvm::Instruction& one : llvm::instructions(*module->getFunction("f")))
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&one)) return load->getAlign().value();
  return 0;
}

}  // namespace

class ProvenAlignmentTest : public QObject {
  Q_OBJECT
private slots:
  void addresses_prove_it_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<int>("wanted");
    QTest::newRow("parameter") << "%v = load float, ptr %p, align 4\nret void\n" << 64;
    QTest::newRow("unknown parameter") << "%v = load float, ptr %q, align 4\nret void\n" << 4;
    QTest::newRow("variable") << "%v = load float, ptr @s, align 4\nret void\n" << 32;
    QTest::newRow("constant") << "%a = getelementptr i8, ptr %p, i64 48\n"
                                 "%v = load float, ptr %a, align 4\nret void\n"
                              << 16;
    QTest::newRow("times four") << "%i = shl i64 %n, 2\n%a = getelementptr float, ptr %p, i64 %i\n"
                                   "%v = load float, ptr %a, align 4\nret void\n"
                                << 16;
    QTest::newRow("long sum")
        << "%i = mul i64 %n, 12\n%j = add i64 %i, 8\n%k = or i64 %j, 16\n%l = add i64 %k, %i\n"
           "%m = add i64 %l, %i\n%o = sub i64 %m, %i\n%r = add i64 %o, 64\n%s = add i64 %r, %i\n"
           "%t = shl i64 %s, 0\n%a = getelementptr float, ptr %p, i64 %t\n"
           "%b = getelementptr i8, ptr %a, i64 128\n%v = load float, ptr %b, align 4\nret void\n"
        << 16;
    QTest::newRow("a choice") << "%i = select i1 %c, i64 8, i64 2\n"
                                 "%a = getelementptr float, ptr %p, i64 %i\n"
                                 "%v = load float, ptr %a, align 4\nret void\n"
                              << 8;
    std::string const loop =
        "br label %l\nl:\n%i = phi i64 [ 0, %0 ], [ %j, %l ]\n"
        "%a = getelementptr float, ptr %p, i64 %i\n%v = load float, ptr %a, align 4\n";
    std::string const end = "br i1 %c, label %l, label %e\ne:\nret void\n";
    QTest::newRow("a loop by four")
        << QString::fromStdString(loop + "%j = add i64 %i, 4\n" + end) << 16;
    QTest::newRow("a loop by one")
        << QString::fromStdString(loop + "%j = add i64 %i, 1\n" + end) << 4;
    // The counter of a loop that is made of another one's, which comes after it.
    QTest::newRow("two counters") << "br label %l\nl:\n%i = phi i64 [ 0, %0 ], [ %j, %l ]\n"
                                     "%k = phi i64 [ 0, %0 ], [ %o, %l ]\n%o = add i64 %i, 16\n"
                                     "%a = getelementptr float, ptr %p, i64 %k\n"
                                     "%v = load float, ptr %a, align 4\n%j = add i64 %k, 2\n"
                                     "br i1 %c, label %l, label %e\ne:\nret void\n"
                                  << 8;
  }
  void addresses_prove_it() {
    QFETCH(QString, body);
    QFETCH(int, wanted);
    QCOMPARE(int(alignment_in(body.toStdString())), wanted);
  }
};

QTEST_GUILESS_MAIN(ProvenAlignmentTest)
#include "proven_alignment_test.moc"
