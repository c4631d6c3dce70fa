#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"

using namespace tw;
using namespace tw::ir;

namespace {

/// Everything that a program can say: sizes, scopes, bound loops, guards, several outputs of a
/// block, ordered and opaque iterators, indirect reads, let, if.
constexpr char kRich[] = R"(tilewright program 1
program rich(X: f32[4, 6], I: i64[4]) -> (Y: f32[4], Z: i64[4])
  size n in 1..4
  alloc t: f32[4, 6] @shared
  parallel i.0 in 2
    unroll i.1 in 2
      for j in 6
        block t(vi: 4 = i.0*2+i.1, vj: 6 = j) op copy if i.0*2+i.1 < 4
          t[vi, vj] = max(X[I[vi], vj], -1.5)
  bind(blockIdx.x) i in 4
    for j in 6
      block Y(vi: 4 = i, reduce vj: 6 = j as in_channel)
        init
          Y[vi] = -inf
          Z[vi] = 0
        let v = t[vi, vj]
        if Y[vi] < v
          Y[vi] = v
          Z[vi] = vj
        else
          Z[vi] = Z[vi]
)";

QString failure(auto const& result) {
  return result ? QString("no error") : QString::fromStdString(to_sentence(result.error()));
}

NDArray filled(DType type, Shape const& shape, std::vector<double> const& values) {
  NDArray array = NDArray::create(type, shape).value();
  for (size_t i = 0; i < values.size(); ++i) array.set_value(int64_t(i), values[i]);
  return array;
}

}  // namespace

class ProgramTest : public QObject {
  Q_OBJECT
private slots:
  void everything_that_a_program_can_say_prints_and_parses_back() {
    auto program = parse_program(kRich);
    QVERIFY2(program.has_value(), qPrintable(failure(program)));
    QCOMPARE(QString::fromStdString(to_text(*program)), QString(kRich));
    auto again = parse_program(to_text(*program));
    QVERIFY(equal(*program, *again));
    QCOMPARE(hash(*program), hash(*again));
  }

  void operators_bind_as_in_c_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("printed");
    QTest::newRow("and before xor before or") << "i | j ^ k & i"
                                              << "i | j ^ k & i";
    QTest::newRow("compare before and") << "(i & j) == k"
                                        << "(i & j) == k";
    QTest::newRow("shift after sum") << "i+j << 2"
                                     << "i+j << 2";
    QTest::newRow("shift before compare") << "i << 2 < j >> 1"
                                          << "i << 2 < j >> 1";
    QTest::newRow("shifts from the left") << "i >> (j >> k) >> 1"
                                          << "i >> (j >> k) >> 1";
    QTest::newRow("all other bits") << "~i*~(j+1)"
                                    << "~(i)*~(j+1)";
    QTest::newRow("of a negative number") << "~-5 & -i"
                                          << "~(-5) & neg(i)";
    QTest::newRow("logic last") << "i & 1 == 0 || j < 1 && k | 1 == 1"
                                << "";
    QTest::newRow("of a float") << "1.5 & 2.5"
                                << "";
    QTest::newRow("of a condition") << "i < j & k < i"
                                    << "";
    QTest::newRow("not of a condition") << "~(i < j)"
                                        << "";
    QTest::newRow("two types") << "i << 1:u8"
                               << "";
  }
  void operators_bind_as_in_c() {
    QFETCH(QString, text);
    QFETCH(QString, printed);
    auto e = parse_expr(text.toStdString(),
                        {{"i", DType::kI64}, {"j", DType::kI64}, {"k", DType::kI64}}, {});
    QCOMPARE(e ? QString::fromStdString(to_text(*e)) : QString(), printed);
    if (!e) return;
    auto again =
        parse_expr(to_text(*e), {{"i", DType::kI64}, {"j", DType::kI64}, {"k", DType::kI64}}, {});
    QVERIFY(again && equal(*e, *again));
  }

  void a_block_with_two_outputs_and_an_indirect_read_is_interpreted_in_any_order() {
    auto program = parse_program(kRich).value();
    std::vector<double> x(24), index{3, 1, 0, 2};
    for (int i = 0; i < 24; ++i) x[size_t(i)] = (i * 7) % 24;
    for (uint64_t seed : {0, 1, 2}) {
      auto out =
          interpret(program, {filled(DType::kF32, {4, 6}, x), filled(DType::kI64, {4}, index)},
                    {.shuffle_seed = seed, .sizes = {2}});
      QVERIFY2(out.has_value(), qPrintable(failure(out)));
      for (int i = 0; i < 4; ++i) {
        double best = -1e30;
        int at = -1;
        for (int j = 0; j < 6; ++j)
          if (x[size_t(index[size_t(i)]) * 6 + size_t(j)] > best)
            best = x[size_t(index[size_t(i)]) * 6 + size_t(at = j)];
        QCOMPARE((*out)[0].value_at(i), best);
        QCOMPARE(x[size_t(index[size_t(i)] * 6 + (*out)[1].value_at(i))], best);
        (void)at;
      }
    }
  }

  void words_are_printed_parsed_and_compared() {
    std::string const text =
        "tilewright program 1\n"
        "program f(X: f32[4]) -> (Y: f32[4])\n"
        "  for i in 4 with another=3, unroll_by=2\n"
        "    block Y(v: 4 = i) if i < 3 with nontemporal=1\n"
        "      Y[v] = X[v]\n";
    auto program = parse_program(text);
    QVERIFY2(program.has_value(), qPrintable(failure(program)));
    QCOMPARE(QString::fromStdString(to_text(*program)), QString::fromStdString(text));
    std::string plain = text, other = text;
    plain.erase(plain.find(" with another"), std::string(" with another=3, unroll_by=2").size());
    other.replace(other.find("unroll_by=2"), 11, "unroll_by=4");
    for (std::string const& one : {plain, other}) {
      auto without = parse_program(one);
      QVERIFY2(without.has_value(), qPrintable(failure(without)));
      QVERIFY(!equal(*without, *program));
      QVERIFY(hash(*without) != hash(*program));
    }
  }

  void words_that_cannot_be_said_data() {
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("code");
    QTest::newRow("twice") << " with a=1, a=2"
                           << "word_twice";
    QTest::newRow("without a value") << " with a"
                                     << "expected_token";
    QTest::newRow("of nothing") << " with a=0"
                                << "bad_word_value";
    QTest::newRow("and no word") << " with"
                                 << "expected_name";
  }
  void words_that_cannot_be_said() {
    QFETCH(QString, words);
    QFETCH(QString, code);
    auto program = parse_program(
        "tilewright program 1\nprogram f(X: f32[4]) -> (Y: f32[4])\n"
        "  for i in 4" +
        words.toStdString() + "\n    block Y(v: 4 = i)\n      Y[v] = X[v]\n");
    QVERIFY(!program);
    QCOMPARE(QString::fromStdString(program.error().code), code);
  }

  void lines_know_their_loops_and_blocks() {
    auto program = parse_program(kRich).value();
    PrintedProgram printed = print(program);
    QCOMPARE(size_t(std::count(printed.text.begin(), printed.text.end(), '\n')),
             printed.lines.size());
    QCOMPARE(printed.lines[8].around.size(), size_t(3));
    QVERIFY(printed.lines[4].loop.valid());
    QVERIFY(printed.lines[7].block.valid());
  }

  void running_outside_of_a_tensor_is_reported() {
    auto program = parse_program(
                       "tilewright program 1\nprogram p(X: f32[4]) -> (Y: f32[4])\n  for i in 4\n  "
                       "  block Y(vi: 4 = i)\n      Y[vi] = X[vi+1]\n")
                       .value();
    auto out = interpret(program, {filled(DType::kF32, {4}, {1, 2, 3, 4})});
    QCOMPARE(failure(out), QString("X: index 0 is 4, out of range 0..3"));
  }

  void an_endless_run_gives_up() {
    auto program = parse_program(
                       "tilewright program 1\nprogram p(X: f32[4]) -> (Y: f32[4])\n  for i in "
                       "1000000\n    for j in 4\n      Y[j] = X[j]\n")
                       .value();
    auto out = interpret(program, {filled(DType::kF32, {4}, {1, 2, 3, 4})}, {.max_steps = 1000});
    QCOMPARE(
        failure(out),
        QString(
            "the interpreter stopped after 1000 statements: the kernel is too large to interpret"));
  }

  void wrong_inputs_are_named() {
    auto program = parse_program(
                       "tilewright program 1\nprogram p(X: f32[4]) -> (Y: f32[4])\n  for j in 4\n  "
                       "  Y[j] = X[j]\n")
                       .value();
    QCOMPARE(failure(interpret(program, {})),
             QString("the kernel takes 1 tensors, but 0 were given"));
    QCOMPARE(failure(interpret(program, {filled(DType::kF32, {5}, {})})),
             QString("the input X must be f32 4, not f32 5"));
  }

  void unchanged_rewrites_return_the_same_pointer() {
    auto program = parse_program(kRich).value();
    Stmt same = rewrite_exprs(program.body, [](Expr const&) { return Expr(); });
    QVERIFY(same.same_as(program.body));
    Stmt other = rewrite_exprs(program.body,
                               [](Expr const& e) { return is_int(e, 6) ? int_imm(7) : Expr(); });
    QVERIFY(!other.same_as(program.body));
    QVERIFY(!equal(other, program.body));
  }

  void bad_programs_are_refused_with_their_place_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("unknown statement") << "  frob i in 4\n"
                                       << "p:3:3: 'frob' is not an axis or size in scope here";
    QTest::newRow("indent") << "  for i in 4\n      Y[i] = X[i]\n"
                            << "p:4:7: this line is indented too far";
    QTest::newRow("empty loop") << "  for i in 0\n    Y[i] = X[i]\n"
                                << "the loop 'i' has no iterations";
    QTest::newRow("shadowing") << "  for i in 4\n    for i in 4\n      Y[i] = X[i]\n"
                               << "p:4:11: 'i' is already bound by a loop around this one";
    QTest::newRow("no body") << "  for i in 4\n"
                             << "p:3:13: this line needs an indented body below it";
    QTest::newRow("guard type") << "  if 3\n    Y[0] = X[0]\n"
                                << "p:3:7: an 'if' needs a condition";
    QTest::newRow("init without reduction")
        << "  for i in 4\n    block b(vi: 4 = i)\n      init Y[vi] = 0\n      Y[vi] = X[vi]\n"
        << "block 'b' has an init but reduces nothing";
  }
  void bad_programs_are_refused_with_their_place() {
    QFETCH(QString, body);
    QFETCH(QString, sentence);
    auto program = parse_program(
        "tilewright program 1\nprogram p(X: f32[4]) -> (Y: f32[4])\n" + body.toStdString(), "p");
    QCOMPARE(failure(program), sentence);
  }

  void deep_nesting_is_refused_and_does_not_overflow() {
    std::string deep(5000, '(');
    auto e = parse_expr(deep + "1" + std::string(5000, ')'), {}, {});
    QVERIFY(!e.has_value());
    QCOMPARE(QString::fromStdString(e.error().code), QString("too_deep"));
  }
};

QTEST_GUILESS_MAIN(ProgramTest)
#include "program_test.moc"
