// Calls of declared intrinsics: as text, checked, run, and what passes of the IR see of them.
#include <QtTest>

#include <set>

#include "engine/ir/interpreter.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"

using namespace tw;
using namespace tw::ir;

namespace {

constexpr char kMatmul[] = R"(tilewright program 1
intrinsic fill(scalar v: f32, write dst: f32[4, 4] @acc)
  for a in 4
    for b in 4
      dst[a, b] = v
intrinsic copy(scalar n: i64, scalar m: i64, write dst: f32[n, m], read src: f32[n, m])
  for a in n
    for b in m
      dst[a, b] = src[a, b]
intrinsic sync() barrier
intrinsic mma(update c: f32[4, 4] @acc, read a: f32[4, 4] @pad, read b: f32[4, 4])
  for i in 4
    for j in 4
      for k in 4
        c[i, j] = c[i, j]+a[i, k]*b[k, j]
program matmul(A: f32[8, 12], B: f32[12, 8]) -> (C: f32[1, 8, 8])
  alloc t: f32[4, 4] @acc
  alloc s: f32[4, 4] @pad
  for i in 2
    for j in 2
      block start(vi: 2 = i, vj: 2 = j)
        call fill(0.0, t[x, y] over (x in 4, y in 4))
      for k in 3
        block load(vi: 2 = i, vk: 3 = k)
          call copy(4, 4, s[x, y] over (x in 4, y in 4), A[vi*4+x, vk*4+y] over (x in 4, y in 4))
        block wait()
          call sync()
        block product(vi: 2 = i, vj: 2 = j, reduce vk: 3 = k)
          call mma(t[x, y] over (x in 4, y in 4), s[x, y] over (x in 4, y in 4), B[vk*4+x, vj*4+y] over (x in 4, y in 4))
      block store(vi: 2 = i, vj: 2 = j)
        call copy(4, 4, C[0, vi*4+x, vj*4+y] over (x in 4, y in 4), t[x, y] over (x in 4, y in 4))
)";

QString failure(auto const& result) {
  return result ? QString("no error") : QString::fromStdString(to_sentence(result.error()));
}

Program matmul() { return parse_program(kMatmul).value(); }

std::vector<NDArray> inputs() {
  std::vector<NDArray> arrays{NDArray::create(DType::kF32, {8, 12}).value(),
                              NDArray::create(DType::kF32, {12, 8}).value()};
  for (NDArray& array : arrays)
    for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, double(i * 7 % 11) - 5);
  return arrays;
}

std::string replaced(std::string text, std::string const& what, std::string const& by) {
  size_t at = text.find(what);
  return at == std::string::npos ? "not there: " + what : text.replace(at, what.size(), by);
}

}  // namespace

class IntrinsicsTest : public QObject {
  Q_OBJECT
private slots:
  void a_program_with_calls_prints_and_parses_back() {
    auto program = parse_program(kMatmul);
    QVERIFY2(program.has_value(), qPrintable(failure(program)));
    QCOMPARE(QString::fromStdString(to_text(*program)).split("\n"), QString(kMatmul).split("\n"));
    auto again = parse_program(to_text(*program));
    QVERIFY(equal(*program, *again));
    QCOMPARE(hash(*program), hash(*again));
    auto other = parse_program(replaced(kMatmul, "vk*4+x, vj", "vk*4+y, vj"));
    QVERIFY2(other, qPrintable(failure(other)));
    QVERIFY(!equal(*program, *other) && hash(*program) != hash(*other));
    other = parse_program(replaced(kMatmul, "= c[i, j]+a", "= c[i, j]-a"));
    QVERIFY(!equal(*program, *other) && hash(*program) != hash(*other));
  }

  /// What is known when the model is loaded lies in main memory as well.
  void an_operand_in_main_memory_may_be_a_parameter() {
    std::string const wanted =
        replaced(kMatmul, "read b: f32[4, 4])", "read b: f32[4, 4] @global)");
    QVERIFY(parse_program(wanted));
    auto weights = parse_program(replaced(wanted, "B: f32[12, 8]", "B: f32[12, 8] @param"));
    QVERIFY2(weights, qPrintable(failure(weights)));
    auto elsewhere = parse_program(replaced(wanted, "B[vk*4+x, vj*4+y]", "s[x, y]"));
    QVERIFY(!elsewhere);
    QVERIFY(failure(elsewhere).contains("b of mma must be in global, but 's' is in pad"));
  }

  void tiles_of_a_matrix_product_are_interpreted() {
    std::vector<NDArray> in = inputs();
    auto out = interpret(matmul(), in);
    QVERIFY2(out.has_value(), qPrintable(failure(out)));
    for (int64_t i = 0; i < 8; ++i)
      for (int64_t j = 0; j < 8; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < 12; ++k)
          sum += in[0].value_at(i * 12 + k) * in[1].value_at(k * 8 + j);
        QCOMPARE((*out)[0].value_at(i * 8 + j), sum);
      }
  }

  void an_operand_may_overlap_what_is_written() {
    auto program = parse_program(
        "tilewright program 1\n"
        "intrinsic move(update to: f32[6], read from: f32[6])\n"
        "  for a in 6\n"
        "    to[a] = from[a]\n"
        "program p(X: f32[8]) -> (Y: f32[8])\n"
        "  for i in 8\n"
        "    Y[i] = X[i]\n"
        "  call move(Y[a+2] over (a in 6), Y[a] over (a in 6))\n");
    QVERIFY2(program.has_value(), qPrintable(failure(program)));
    NDArray x = NDArray::create(DType::kF32, {8}).value();
    for (int64_t i = 0; i < 8; ++i) x.set_value(i, double(i));
    NDArray y = interpret(*program, {x}).value()[0];
    for (int64_t i = 0; i < 8; ++i) QCOMPARE(y.value_at(i), double(i < 2 ? i : i - 2));
  }

  void wrong_runs_are_reported_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("by");
    QTest::addColumn<QString>("code");
    QTest::newRow("operand outside of its tensor") << "B[vk*4+x,"
                                                   << "B[vk*5+x,"
                                                   << "index_out_of_range";
    QTest::newRow("behaviour outside of its operand") << "dst[a, b] = v"
                                                      << "dst[a+1, b] = v"
                                                      << "index_out_of_range";
    QTest::newRow("barrier among parallel iterations") << "  for j in 2"
                                                       << "  parallel j in 2"
                                                       << "call_not_interpreted";
  }
  void wrong_runs_are_reported() {
    QFETCH(QString, what);
    QFETCH(QString, by);
    QFETCH(QString, code);
    auto program = parse_program(replaced(kMatmul, what.toStdString(), by.toStdString()));
    QVERIFY2(program.has_value(), qPrintable(failure(program)));
    auto out = interpret(*program, inputs());
    QVERIFY(!out);
    QCOMPARE(QString::fromStdString(out.error().code), code);
  }

  void what_is_not_written_is_seen() {
    auto program = parse_program(replaced(kMatmul, "for b in 4", "for b in 3"));
    NDArray out = interpret(*program, inputs()).value()[0];
    QVERIFY(std::isnan(out.value_at(3)) && !std::isnan(out.value_at(2)));
  }

  void bad_calls_are_refused_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("by");
    QTest::addColumn<QString>("message");
    QTest::newRow("operands") << "call fill(0.0, "
                              << "call fill("
                              << "fill takes 2 operands, but 1 are given";
    QTest::newRow("number for a tensor")
        << "fill(0.0, t[x, y] over (x in 4, y in 4))"
        << "fill(0.0, 1.0)"
        << "dst of fill must be elements of a tensor, but a number is given";
    QTest::newRow("type of a number") << "fill(0.0,"
                                      << "fill(0,"
                                      << "v of fill must be f32, but i64 is given";
    QTest::newRow("scope") << "call mma(t[x, y]"
                           << "call mma(s[x, y]"
                           << "c of mma must be in acc, but 's' is in pad";
    QTest::newRow("rank") << "copy(4, 4, s[x, y] over (x in 4, y in 4)"
                          << "copy(4, 4, s[x, 0] over (x in 4)"
                          << "dst of copy has 2 dimensions, but 1 are given";
    QTest::newRow("shape") << "copy(4, 4, s"
                           << "copy(3, 4, s"
                           << "dimension 0 of dst of copy is 3, but 4 are given";
    QTest::newRow("axis") << "s[x, y] over (x in 4, y in 4), A"
                          << "s[x, z] over (x in 4, y in 4), A"
                          << "'z' is not";
    QTest::newRow("name") << "call mma"
                          << "call mmma"
                          << "no intrinsic 'mmma' is declared";
    QTest::newRow("undeclared write")
        << "read src"
        << "write src"
        << "its behaviour reads src, but its parameters do not declare this";
    QTest::newRow("undeclared read")
        << "write dst: f32[n"
        << "read dst: f32[n"
        << "its behaviour writes dst, but its parameters do not declare this";
    QTest::newRow("nothing") << "sync() barrier"
                             << "sync()"
                             << "the intrinsic sync: it does nothing";
    QTest::newRow("launch") << "sync() barrier"
                            << "sync() launches f"
                            << "sync launches a device function, which a program has none of";
    QTest::newRow("parameter twice") << "scalar v: f32,"
                                     << "scalar v: f32, scalar v: f32,"
                                     << "two parameters are named v";
    QTest::newRow("behaviour") << "dst[a, b] = v"
                               << "dst[a] = v"
                               << "'dst' has 2 dimensions, but 1 indices are given";
    QTest::newRow("declared twice") << "intrinsic sync"
                                    << "intrinsic mma"
                                    << "there are two intrinsics named 'mma'";
    QTest::newRow("bracket") << "call sync()"
                             << "call sync("
                             << "expected";
  }
  void bad_calls_are_refused() {
    QFETCH(QString, what);
    QFETCH(QString, by);
    QFETCH(QString, message);
    auto program = parse_program(replaced(kMatmul, what.toStdString(), by.toStdString()));
    QVERIFY(!program);
    QVERIFY2(failure(program).contains(message), qPrintable(failure(program)));
  }

  void rewrites_reach_operands_and_keep_what_does_not_change() {
    Program program = matmul();
    Stmt same = rewrite_exprs(program.body, [](Expr const&) { return Expr(); });
    QVERIFY(same.same_as(program.body));
    Buffer wide = make_buffer("B", DType::kF32, {12, 9});
    std::set<int64_t> widths;
    walk_exprs(replace_buffer(program.body, "B", wide), [&](Expr const& e) {
      if (auto const* read = e.as<Load>(); read && read->buffer->name == "B")
        widths.insert(*as_int(read->buffer->shape[1]));
      return true;
    });
    QCOMPARE(widths, std::set<int64_t>{9});
  }

  void what_calls_read_and_write_is_what_they_declare() {
    std::multiset<std::string> reads, writes;
    walk_reads(matmul().body, [&](Touched const& at) { reads.insert(at.buffer->name); });
    walk_writes(matmul().body, [&](Touched const& at) {
      writes.insert(at.buffer->name);
      QCOMPARE(at.axes.size(), size_t(2));
    });
    QCOMPARE(reads, (std::multiset<std::string>{"A", "B", "s", "t", "t"}));
    QCOMPARE(writes, (std::multiset<std::string>{"C", "s", "t", "t"}));
    QVERIFY(has_barrier(matmul().body));
  }

  void a_box_is_an_operand_with_one_axis_for_each_dimension() {
    Buffer a = make_buffer("A", DType::kF32, {8, 12});
    Operand operand = box_operand(a, {var("i") * 4, int_imm(8)}, {4, 4});
    QCOMPARE(to_text(operand.value), std::string("A[i*4+A.0, 8+A.1]"));
    QCOMPARE(operand.axes.size(), size_t(2));
  }
};

QTEST_GUILESS_MAIN(IntrinsicsTest)
#include "intrinsics_test.moc"
