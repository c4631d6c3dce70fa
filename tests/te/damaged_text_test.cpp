#include <QtTest>

#include "engine/ir/text.h"
#include "engine/te/te.h"
#include "tests/support/mutate.h"

using namespace tw;

namespace {

constexpr char kKernel[] =
    "tilewright te 1\n"
    "kernel conv2d(X: f32[1, 4, 6, 6], W: f32[8, 4, 3, 3]) -> (Y, Z)\n"
    "  pad[n in 1, c in 4, y in 8, x in 8] = select(1 <= y && y < 7 && 1 <= x && x < 7, X[n, c, "
    "y-1, x-1], 0)\n"
    "  Y[n in 1, o in 8 as out_channel, y in 6, x in 6] op conv2d = sum[c in 4, r in 3, s in 3] "
    "pad[n, c, y+r, x+s] * W[o, c, r, s]\n"
    "  Z[scan t in 6]: f32 op scan = exp(-1.5e-3) + select(1 <= t, Z[t-1], max(Y[0, 0, 0, t], "
    "inf))\n"
    "  U[scan t in 6]: f32 = select(1 <= t, V[t-1], 0)\n"
    "  V[step t in 6]: f32 = sum[k in 3] select(k <= t, U[t-k], Z[t])\n";

constexpr char kSized[] =
    "tilewright te 1\n"
    "kernel conv(X: f32[3, h + 2, w], W: f32[4, 3, 3, 3] @param) -> Y\n"
    "  size h in 1..6 = 5\n"
    "  size w in 3..8\n"
    "  P[c in 3, y in h + 2, x in w] = X[c, y, x] / f32(w)\n"
    "  Y[o in 4, y in h, x in w - 2] = sum[c in 3, r in 3, s in 3] P[c, y+r, x+s] * W[o, c, r, "
    "s]\n";

}  // namespace

/// Whatever a person or a damaged disk puts into a file: an error or a value that prints and parses
/// back, never a crash.
class DamagedTextTest : public QObject {
  Q_OBJECT
private slots:
  void damaged_kernels_and_programs_never_crash_the_readers() {
    uint64_t seed = 20260101;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Rng rng(seed);
    auto kernel = te::parse_kernel(kKernel);
    QVERIFY2(kernel.has_value(), kernel ? "" : to_sentence(kernel.error()).c_str());
    std::string program = ir::to_text(te::to_program(*kernel).value());
    int read = 0;
    for (int round = 0; round < 6000; ++round) {
      char const* text = round % 4 == 0 ? kSized : kKernel;
      if (auto k = te::parse_kernel(testing::mutate(text, rng))) {
        ++read;
        auto again = te::parse_kernel(te::to_text(*k));
        QVERIFY2(again && te::equal(*k, *again), te::to_text(*k).c_str());
        (void)te::to_program(*k);
      }
      if (auto p = ir::parse_program(testing::mutate(program, rng))) {
        ++read;
        auto again = ir::parse_program(ir::to_text(*p));
        QVERIFY2(again && ir::equal(*p, *again), ir::to_text(*p).c_str());
      }
    }
    qInfo("%d of 12000 damaged texts were still readable", read);
    QVERIFY(read > 100);
  }

  void what_would_exhaust_the_stack_is_refused_by_name() {
    std::string head = "tilewright te 1\nkernel t(A: f32[4]) -> P\n", sum = "A[i]";
    auto code = [](std::string const& text) {
      auto kernel = te::parse_kernel(text);
      return kernel ? std::string("read") : kernel.error().code;
    };
    for (int i = 0; i < 1500; ++i) sum += "+A[i]";
    QCOMPARE(code(head + "  P[i in 4] = " + sum + "\n"), std::string("read"));
    for (int i = 0; i < 300000; ++i) sum += "+A[i]";
    QCOMPARE(code(head + "  P[i in 4] = " + sum + "\n"), std::string("too_long"));
    std::string stages, axes = "a in 1";
    for (int i = 0; i < 200; ++i) stages += "  S" + std::to_string(i) + "[i in 4] = A[i]\n";
    auto kernel = te::parse_kernel(head + stages + "  P[i in 4] = A[i]\n");
    QVERIFY(kernel);
    QVERIFY(ir::parse_program(ir::to_text(te::to_program(*kernel).value())));
    QCOMPARE(code(head + stages + stages), std::string("name_taken"));
    for (int i = 200; i < 20000; ++i) stages += "  S" + std::to_string(i) + "[i in 4] = A[i]\n";
    QCOMPARE(code(head + stages), std::string("too_many_stages"));
    for (int i = 0; i < 40; ++i) axes += ", a" + std::to_string(i) + " in 1";
    QCOMPARE(code(head + "  P[" + axes + "] = A[0]\n"), std::string("too_many_axes"));
  }

  void a_number_is_of_a_type_that_holds_it() {
    for (char const* number : {"50:bool", "1.5:i32", "inf:i64", "nan:u8"})
      QVERIFY2(!ir::parse_expr(number, {}, {}), number);
    for (char const* number : {"50:u8", "-3:i8", "2:f16", "1.5:f64", "-inf:f32"})
      QVERIFY2(ir::parse_expr(number, {}, {}), number);
  }
};

QTEST_GUILESS_MAIN(DamagedTextTest)
#include "damaged_text_test.moc"
