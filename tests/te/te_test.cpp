#include <QtTest>

#include <fmt/format.h>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/support/base/random.h"
#include "engine/te/te.h"

using namespace tw;

namespace {

constexpr char kConv[] = R"(tilewright te 1
kernel conv2d(X: f32[1, 4, 6, 6], W: f32[8, 4, 3, 3]) -> Y
  pad[n in 1, c in 4, y in 8, x in 8] = select(1 <= y && y < 7 && 1 <= x && x < 7, X[n, c, y-1, x-1], 0)
  Y[n in 1, o in 8 as out_channel, y in 6, x in 6] op conv2d = sum[c in 4, r in 3, s in 3] pad[n, c, y+r, x+s] * W[o, c, r, s]
)";

NDArray random_array(Shape const& shape, uint64_t seed) {
  NDArray array = NDArray::create(DType::kF32, shape).value();
  Rng rng(seed);
  for (float& v : array.as<float>()) v = float(rng.normal());
  return array;
}

}  // namespace

class TeTest : public QObject {
  Q_OBJECT
private slots:
  void a_kernel_prints_and_parses_back() {
    auto kernel = te::parse_kernel(kConv);
    QVERIFY2(kernel.has_value(), kernel ? "" : to_sentence(kernel.error()).c_str());
    std::string text = te::to_text(*kernel);
    auto again = te::parse_kernel(text);
    QVERIFY2(again.has_value(), again ? "" : to_sentence(again.error()).c_str());
    QCOMPARE(te::to_text(*again), text);
    QCOMPARE(te::flops(*kernel), int64_t(2) * 8 * 32 * 32);  // 6x6 windows of 3x3 with padding
  }

  void products_of_integers_are_work_where_nothing_is_a_float() {
    auto kernel = [](char const* after) {
      std::string text = fmt::format(
          "tilewright te 1\nkernel m(A: i8[4, 32], B: i8[32, 16]) -> D\n"
          "  C[i in 4, j in 16] = sum[k in 32] i32(A[i, k]) * i32(B[k, j])\n"
          "  D[i in 4, j in 16] = {}\n",
          after);
      auto parsed = te::parse_kernel(text);
      if (!parsed) qFatal("%s", to_sentence(parsed.error()).c_str());
      return *std::move(parsed);
    };
    QVERIFY(te::computes_integers(kernel("C[i, j] >> 3:i32")));
    QCOMPARE(te::flops(kernel("C[i, j] >> 3:i32")), int64_t(2) * 4 * 16 * 32);
    te::Kernel floats = kernel("f32(C[i, j]) * 0.5");
    QVERIFY(!te::computes_integers(floats));
    QCOMPARE(te::flops(floats), int64_t(4) * 16);
  }

  void products_with_padding_are_no_work() {
    auto work_of = [](std::string const& text) {
      auto kernel = te::parse_kernel("tilewright te 1\n" + text);
      if (!kernel) qFatal("%s", to_sentence(kernel.error()).c_str());
      return te::flops(*kernel);
    };
    // Of 7 rows three taps each, 19 of 21 are inside; of 4 columns two apart 10 of 12.
    std::string pad =
        "  p[c in 2, y in 9, x in 9] = select(1 <= y && y < 8 && 1 <= x && x < 8, X[c, y-1, x-1], "
        "FILL)\n";
    std::string sum =
        "  Y[o in 4, y in 7, x in 4] = sum[c in 2, r in 3, s in 3] p[c, y+r, x*2+s] OP W[o, c, r, "
        "s]\n";
    auto kernel = [&](std::string fill, std::string op) {
      std::string text = "kernel f(X: f32[2, 7, 7], W: f32[4, 2, 3, 3]) -> Y\n" + pad + sum;
      text.replace(text.find("FILL"), 4, fill);
      return text.replace(text.find("OP"), 2, op);
    };
    QCOMPARE(work_of(kernel("0.0", "*")), int64_t(2) * 4 * 2 * 19 * 10);
    QCOMPARE(work_of(kernel("1.0", "*")), int64_t(2) * 4 * 2 * 21 * 12);
    QCOMPARE(work_of(kernel("0.0", "+")), int64_t(2) * 4 * 2 * 21 * 12);
    QCOMPARE(work_of("kernel g(X: f32[5], W: f32[3]) -> Y\n"
                     "  Y[i in 5] = sum[k in 3] select(i+k < 5, X[i+k], 0.0) * W[k]\n"),
             int64_t(2) * 12);
  }

  void its_program_prints_parses_and_computes_a_convolution() {
    auto program = te::to_program(te::parse_kernel(kConv).value());
    QVERIFY(program.has_value());
    auto again = ir::parse_program(ir::to_text(*program));
    QVERIFY2(again.has_value(), again ? "" : to_sentence(again.error()).c_str());
    QVERIFY(ir::equal(*program, *again));
    QCOMPARE(ir::hash(*program), ir::hash(*again));
    NDArray x = random_array({1, 4, 6, 6}, 1), w = random_array({8, 4, 3, 3}, 2);
    auto out = ir::interpret(*program, {x, w});
    QVERIFY2(out.has_value(), out ? "" : to_sentence(out.error()).c_str());
    NDArray expected = NDArray::create(DType::kF32, {1, 8, 6, 6}).value();
    for (int o = 0; o < 8; ++o)
      for (int y = 0; y < 6; ++y)
        for (int xx = 0; xx < 6; ++xx) {
          double sum = 0;
          for (int c = 0; c < 4; ++c)
            for (int r = 0; r < 3; ++r)
              for (int s = 0; s < 3; ++s) {
                int iy = y + r - 1, ix = xx + s - 1;
                if (iy < 0 || iy >= 6 || ix < 0 || ix >= 6) continue;
                sum +=
                    x.value_at((c * 6 + iy) * 6 + ix) * w.value_at(((o * 4 + c) * 3 + r) * 3 + s);
              }
          expected.set_value((o * 6 + y) * 6 + xx, sum);
        }
    QVERIFY(compare((*out)[0], expected, 1e-5).equal);
  }

  void a_scan_reads_its_own_past() {
    auto kernel = te::parse_kernel(
        "tilewright te 1\nkernel prefix(X: f32[5]) -> S\n"
        "  S[scan t in 5]: f32 = X[t] + select(1 <= t, S[t-1], 0)\n");
    QVERIFY2(kernel.has_value(), kernel ? "" : to_sentence(kernel.error()).c_str());
    NDArray x = random_array({5}, 3);
    auto out = ir::interpret(te::to_program(*kernel).value(), {x});
    QVERIFY2(out.has_value(), out ? "" : to_sentence(out.error()).c_str());
    double sum = 0;
    for (int i = 0; i < 5; ++i) sum += x.value_at(i);
    QVERIFY(std::fabs((*out)[0].value_at(4) - sum) < 1e-5);
  }

  /// Two tensors that need each other: Fibonacci's numbers, and sums of them.
  void stages_of_a_recurrence_read_one_another_at_earlier_steps() {
    std::string text =
        "tilewright te 1\nkernel fibonacci(X: i64[2]) -> (F, S)\n"
        "  P[scan t in 8]: i64 = select(2 <= t, F[t-2], X[0])\n"
        "  F[step t in 8]: i64 = select(2 <= t, F[t-1]+P[t], X[1])\n"
        "  S[step t in 8]: i64 = sum[k in 3] select(k <= t, F[t-k], X[0]-X[0])\n";
    auto kernel = te::parse_kernel(text);
    QVERIFY2(kernel.has_value(), kernel ? "" : to_sentence(kernel.error()).c_str());
    QVERIFY(te::equal(*kernel, te::parse_kernel(te::to_text(*kernel)).value()));
    ir::Program program = te::to_program(*kernel).value();
    QCOMPARE(ir::loops_of(program.body).size(), 2u);  // t, and k inside of it
    NDArray x = NDArray::create(DType::kI64, {2}).value();
    x.as<int64_t>()[0] = x.as<int64_t>()[1] = 1;
    auto out = ir::interpret(program, {x});
    QVERIFY2(out.has_value(), out ? "" : to_sentence(out.error()).c_str());
    QCOMPARE((*out)[0].value_at(7), 21.0);
    QCOMPARE((*out)[1].value_at(7), 21.0 + 13 + 8);
  }

  void a_recurrence_reads_what_is_made_data() {
    QTest::addColumn<QString>("stages");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("itself now")
        << "  B[scan t in 4]: f32 = A[t] + B[t]\n"
        << "k.te:3: stage B reads 'B' at step t, which may not be computed yet";
    QTest::newRow("a later stage now")
        << "  C[scan t in 4]: f32 = A[t] + B[t]\n  B[step t in 4]: f32 = C[t]\n"
        << "k.te:4: stage C reads 'B' at step t, which may not be computed yet";
    QTest::newRow("the future")
        << "  C[scan t in 4]: f32 = A[t]\n  B[step t in 4]: f32 = select(t < 3, C[t+1], 0)\n"
        << "k.te:4: stage B reads 'C' at step t+1, which may not be computed yet";
    QTest::newRow("by another index") << "  B[scan t in 4]: f32 = select(1 <= t, sum2[t], 0)\n"
                                      << "k.te:3:40: there is no tensor 'sum2' here";
    QTest::newRow("nothing to join") << "  B[step t in 4]: f32 = A[t]\n"
                                     << "k.te:3: stage B joins no recurrence";
    QTest::newRow("another axis")
        << "  C[scan t in 4]: f32 = A[t]\n  B[step u in 4]: f32 = C[u]\n"
        << "k.te:4: stage B joins a recurrence over a different axis than t in 4";
    QTest::newRow("undeclared type")
        << "  B[scan t in 4] = t\n"
        << "k.te:3:21: 'B' is i64: a recurrence must declare this type";
    QTest::newRow("twice") << "  B[scan t in 4]: f32 = A[t]\n  B[step t in 4]: f32 = A[t]\n"
                           << "k.te:4:23: two tensors are named 'B'";
  }
  void a_recurrence_reads_what_is_made() {
    QFETCH(QString, stages);
    QFETCH(QString, sentence);
    auto kernel = te::parse_kernel(
        "tilewright te 1\nkernel k(A: f32[4]) -> B\n" + stages.toStdString(), "k.te");
    QVERIFY(!kernel.has_value());
    QCOMPARE(QString::fromStdString(to_sentence(kernel.error())), sentence);
  }

  void reads_that_surely_leave_their_tensor_are_refused_data() {
    QTest::addColumn<QString>("stage");
    QTest::addColumn<QString>("outside");
    QTest::newRow("behind") << "B[i in 8] = A[i + 1, 0]"
                            << "stage B reads 'A' out of bounds: its index i+1 ranges from 1 to 8, "
                               "but dimension 0 only from 0 to 7";
    QTest::newRow("before") << "B[i in 8] = A[i - 2, 0]"
                            << "stage B reads 'A' out of bounds: its index i-2 ranges from -2 to "
                               "5, but dimension 0 only from 0 to 7";
    QTest::newRow("two axes") << "B[i in 8] = sum[k in 3] A[i + k, 0]"
                              << "stage B reads 'A' out of bounds: its index i+k ranges from 0 to "
                                 "9, but dimension 0 only from 0 to 7";
    QTest::newRow("constant") << "B[i in 8] = A[i, 5]"
                              << "stage B reads 'A' out of bounds: its index 5 ranges from 5 to 5, "
                                 "but dimension 1 only from 0 to 4";
    QTest::newRow("to the end") << "B[i in 8] = A[7 - i, 4]"
                                << "";
    QTest::newRow("a window") << "B[i in 6] = sum[k in 3] A[i + k, 0]"
                              << "";
    QTest::newRow("behind a condition") << "B[i in 8] = select(i < 7, A[i + 1, 0], 0.0)"
                                        << "";
    QTest::newRow("by data") << "B[i in 8] = A[i % 4, 0]"
                             << "";
  }
  void reads_that_surely_leave_their_tensor_are_refused() {
    QFETCH(QString, stage);
    QFETCH(QString, outside);
    QString text = "tilewright te 1\nkernel k(A: f32[8, 5]) -> B\n  " + stage + "\n";
    auto kernel = te::parse_kernel(text.toStdString(), "k.te");
    Status status = kernel ? te::verify(*kernel) : Status(std::unexpected(kernel.error()));
    QCOMPARE(QString::fromStdString(status ? "" : status.error().message), outside);
  }

  void errors_name_line_and_column_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("sentence");
    QString head = "tilewright te 1\nkernel k(A: f32[4]) -> B\n";
    QTest::newRow("empty") << ""
                           << "k.te:1: the file ends before 'tilewright te 1'";
    QTest::newRow("version") << "tilewright te 9\n"
                             << "k.te:1:16: this is te version 9; only version 1 can be read";
    QTest::newRow("unknown tensor") << head + "  B[i in 4] = C[i]\n"
                                    << "k.te:3:15: there is no tensor 'C' here";
    QTest::newRow("unknown axis") << head + "  B[i in 4] = A[j]\n"
                                  << "k.te:3:17: 'j' is not an axis or size in scope here";
    QTest::newRow("rank") << head + "  B[i in 4] = A[i, i]\n"
                          << "k.te:3:22: 'A' has 1 dimensions, but 2 indices are given";
    QTest::newRow("types") << head + "  B[i in 4] = A[i] + i\n"
                           << "k.te:3:23: 'A[i]' has type f32, but 'i' has type i64";
    QTest::newRow("output") << head + "  C[i in 4] = A[i]\n"
                            << "k.te:2: no stage computes the output 'B'";
    QTest::newRow("extent") << head + "  B[i in 0] = A[i]\n"
                            << "k.te:3:11: the extent of 'i' must be from 1 to 2^40";
    QTest::newRow("division by zero") << head + "  B[i in 4] = A[i // 0]\n"
                                      << "k.te:3:23: 'i' is divided by zero";
    QTest::newRow("remainder by zero") << head + "  B[i in 4] = A[(i+1) % 0]\n"
                                       << "k.te:3:26: 'i+1' is divided by zero";
    QTest::newRow("float by zero")
        << head + "  B[i in 4] = A[i] / 0\n"
        << "k.te:3:23: 'A[i]' is divided by zero; to get infinity, divide by 0.0";
    QTest::newRow("overflow")
        << head + "  C[i in 4] = A[i]\n  B[i in 4] = A[i*4611686018427387904*4 % 4]\n"
        << "k.te:4: stage B computes i*4611686018427387904*4, which does not fit in 64 bits";
    QTest::newRow("outside") << head + "  B[i in 5] = A[i]\n  C[i in 4] = A[i]\n"
                             << "k.te:3: stage B reads 'A' out of bounds: its index i ranges from "
                                "0 to 4, but dimension 0 only from 0 to 3";
    QTest::newRow("character") << head + "  B[i in 4] = A[i] ; 1\n"
                               << "k.te:3:20: unexpected character ';'";
  }
  void errors_name_line_and_column() {
    QFETCH(QString, text);
    QFETCH(QString, sentence);
    auto kernel = te::parse_kernel(text.toStdString(), "k.te");
    QVERIFY(!kernel.has_value());
    QCOMPARE(QString::fromStdString(to_sentence(kernel.error())), sentence);
  }
};

QTEST_GUILESS_MAIN(TeTest)
#include "te_test.moc"
