#include <QtTest>

#include "engine/arith/simplify.h"
#include "engine/ir/expr_evaluator.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/support/base/random.h"

using namespace tw;
using namespace tw::ir;

namespace {

constexpr int64_t kExtents[] = {1, 4, 7, 16};

Expr random_expr(Rng& rng, int depth) {
  if (depth == 0 || rng.below(5) == 0) {
    if (rng.below(3) == 0) return int_imm(rng.between(-3, 9));
    return var(std::string(1, char('a' + rng.below(4))));
  }
  Expr a = random_expr(rng, depth - 1);
  switch (rng.below(9)) {
    case 0:
      return binary(BinaryOp::kAdd, a, random_expr(rng, depth - 1));
    case 1:
      return binary(BinaryOp::kSub, a, random_expr(rng, depth - 1));
    case 2:
      return binary(BinaryOp::kMul, a, int_imm(rng.between(-2, 6)));
    case 3:
      return binary(BinaryOp::kFloorDiv, a, int_imm(rng.between(1, 6)));
    case 4:
      return binary(BinaryOp::kFloorMod, a, int_imm(rng.between(1, 6)));
    case 5:
      return binary(rng.below(2) ? BinaryOp::kMin : BinaryOp::kMax, a, random_expr(rng, depth - 1));
    case 6:
      return binary(BinaryOp(int(BinaryOp::kBitAnd) + rng.below(5)), a,
                    rng.below(3) ? int_imm(rng.between(-1, 9)) : random_expr(rng, depth - 1));
    case 7:
      return unary(UnaryOp::kBitNot, a);
    default:
      return select(
          binary(BinaryOp(int(BinaryOp::kLt) + rng.below(4)), a, random_expr(rng, depth - 1)),
          random_expr(rng, depth - 1), int_imm(1));
  }
}

}  // namespace

class SimplifyTest : public QObject {
  Q_OBJECT
private slots:
  void known_forms_data() {
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::newRow("split index")
        << "(b*4 + a) // 4"
        << "b";  // placeholders: a in 0..0, b in 0..3, c in 0..6, d in 0..15
    QTest::newRow("like terms") << "c + c*3 - c"
                                << "c*3";
    QTest::newRow("mod of split") << "(c*16 + d) % 16"
                                  << "d";
    QTest::newRow("div of split") << "(c*16 + d) // 16"
                                  << "c";
    QTest::newRow("nested div") << "(d // 2) // 3"
                                << "d//6";
    QTest::newRow("decided compare") << "d < 16"
                                     << "true";
    QTest::newRow("undecided compare") << "d < 15"
                                       << "d < 15";
    QTest::newRow("fused and taken apart") << "(d // 4)*8 + (d % 4)*2 + c"
                                           << "c+d*2";
    QTest::newRow("digits put together") << "d % 2 + (d // 2 % 3)*2 + (d // 6)*6"
                                         << "d";
    QTest::newRow("lower digits put together") << "(d % 2)*5 + (d // 2 % 3)*10"
                                               << "d%6*5";
    QTest::newRow("digits with a gap stay") << "d % 2 + (d // 4)*2"
                                            << "d%2+d//4*2";
    QTest::newRow("shift of an index") << "d*2 >> 1 << 2"
                                       << "d*4";
    QTest::newRow("low bits of an index") << "(c*16 + d) & 15"
                                          << "d";
    QTest::newRow("bits of numbers") << "(12 & 10 | 1) ^ 3"
                                     << "10";
    QTest::newRow("bits in range") << "(d | c) < 16"
                                   << "true";
    QTest::newRow("min") << "min(c, 6)"
                         << "c";
    QTest::newRow("common factor") << "(d*2 + 4) // 4"
                                   << "d//2+1";
  }
  void known_forms() {
    QFETCH(QString, before);
    QFETCH(QString, after);
    arith::Ranges ranges = this->ranges();
    Expr e =
        parse_expr(before.toStdString(),
                   {{"a", DType::kI64}, {"b", DType::kI64}, {"c", DType::kI64}, {"d", DType::kI64}},
                   {})
            .value();
    QCOMPARE(QString::fromStdString(to_text(arith::simplify(e, ranges))), after);
  }

  void random_expressions_keep_their_value_and_stay_in_their_bounds() {
    uint64_t seed = 20240711;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Rng rng(seed);
    arith::Ranges ranges = this->ranges();
    for (int round = 0; round < 4000; ++round) {
      Expr e = random_expr(rng, 4);
      Expr s = arith::simplify(e, ranges);
      auto range = arith::bounds(e, ranges);
      ExprEvaluator evaluator;
      Compiled ce = evaluator.compile(e), cs = evaluator.compile(s);
      for (int point = 0; point < 12; ++point) {
        for (int v = 0; v < 4; ++v)
          evaluator.set(evaluator.slot(std::string(1, char('a' + v))), rng.below(kExtents[v]));
        int64_t want = evaluator.integer(ce, 0), got = evaluator.integer(cs, 0);
        QVERIFY2(want == got, (to_text(e) + "  became  " + to_text(s)).c_str());
        if (range) QVERIFY2(range->low <= want && want <= range->high, to_text(e).c_str());
      }
      QVERIFY2(equal(arith::simplify(s, ranges), s) || to_text(s).size() <= to_text(e).size() + 8,
               to_text(e).c_str());
    }
  }

  void digits_taken_apart_and_put_together_are_the_same() {
    uint64_t seed = 20260717;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Rng rng(seed);
    arith::Ranges ranges = this->ranges();
    int whole = 0;
    for (int round = 0; round < 2000; ++round) {
      Expr x = var("c") * rng.between(-3, 20) + var("d") * rng.between(1, 3) + rng.between(-9, 9);
      Expr sum = int_imm(0), high = x;
      int64_t place = 1;
      bool right = true;
      for (int digits = int(rng.between(1, 3)); digits > 0; --digits) {
        int64_t n = rng.between(2, 7), wrong = rng.below(8) == 0 ? 1 : 0;
        right = right && wrong == 0;
        sum = sum + binary(BinaryOp::kFloorMod, high, int_imm(n)) * (place + wrong);
        high = binary(BinaryOp::kFloorDiv, high, int_imm(n));
        place *= n;
      }
      if (rng.below(2)) sum = sum + high * place;
      Expr s = arith::simplify(sum, ranges);
      whole += right && to_text(s).size() <= to_text(x).size() + 4;
      ExprEvaluator evaluator;
      Compiled ce = evaluator.compile(sum), cs = evaluator.compile(s);
      for (int point = 0; point < 12; ++point) {
        for (int v = 0; v < 4; ++v)
          evaluator.set(evaluator.slot(std::string(1, char('a' + v))), rng.below(kExtents[v]));
        QVERIFY2(evaluator.integer(ce, 0) == evaluator.integer(cs, 0),
                 (to_text(sum) + "  became  " + to_text(s)).c_str());
      }
    }
    QVERIFY2(whole > 800, qPrintable(QString("%1 in one piece").arg(whole)));
  }

  /// What is read from a tensor takes every value of 64 bits, and wraps.
  void data_is_no_index() {
    uint64_t seed = 20261127;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Rng rng(seed);
    Buffer data = make_buffer("X", DType::kI64, {8});
    for (int round = 0; round < 6000; ++round) {
      Expr e = data_expr(data, rng, int(rng.between(1, 4)));
      Expr s = arith::simplify(e, ranges());
      auto range = arith::bounds(e, ranges());
      NDArray values = NDArray::create(DType::kI64, {8}).value();
      for (int64_t& value : values.as<int64_t>()) value = extreme(rng);
      ExprEvaluator evaluator;
      evaluator.bind("X", values);
      Compiled ce = evaluator.compile(e), cs = evaluator.compile(s);
      for (int point = 0; point < 8; ++point) {
        evaluator.set(evaluator.slot("b"), rng.below(4));
        int64_t want = evaluator.integer(ce, 0), got = evaluator.integer(cs, 0);
        QVERIFY(!evaluator.failed());
        QVERIFY2(want == got, (to_text(e) + "  became  " + to_text(s)).c_str());
        if (range) QVERIFY2(range->low <= want && want <= range->high, to_text(e).c_str());
      }
    }
  }

private:
  static int64_t extreme(Rng& rng) {
    switch (rng.below(4)) {
      case 0:
        return rng.below(2) ? INT64_MAX - rng.below(4) : INT64_MIN + rng.below(4);
      case 1:
        return int64_t(uint64_t(1) << rng.below(64));
      case 2:
        return rng.between(-20, 20);
      default:
        return int64_t(rng.next());
    }
  }
  static Expr data_expr(Buffer const& data, Rng& rng, int depth) {
    if (depth == 0)
      return rng.below(3) == 0 ? int_imm(extreme(rng)) : load(data, {var("b") + rng.below(5)});
    Expr a = data_expr(data, rng, depth - 1), b = data_expr(data, rng, depth - 1);
    int64_t divisor = rng.below(2) ? rng.between(1, 9) : std::abs(extreme(rng) / 2) + 1;
    switch (rng.below(9)) {
      case 0:
      case 1:
        return binary(BinaryOp::kAdd, a, b);
      case 2:
        return binary(BinaryOp::kSub, a, b);
      case 3:
        return binary(BinaryOp::kMul, a, int_imm(extreme(rng)));
      case 4:
        return binary(BinaryOp::kFloorDiv, a, int_imm(divisor));
      case 5:
        return binary(BinaryOp::kFloorMod, a, int_imm(divisor));
      case 6:
        return binary(rng.below(2) ? BinaryOp::kMin : BinaryOp::kMax, a, b);
      case 7:
        return binary(BinaryOp(int(BinaryOp::kBitAnd) + rng.below(5)), a,
                      rng.below(2) ? b : int_imm(rng.between(0, 63)));
      default:
        return select(binary(BinaryOp(int(BinaryOp::kLt) + rng.below(4)), a, b), a, b);
    }
  }

  arith::Ranges ranges() {
    arith::Ranges ranges;
    for (int v = 0; v < 4; ++v) ranges.set(std::string(1, char('a' + v)), {0, kExtents[v] - 1});
    return ranges;
  }
};

QTEST_GUILESS_MAIN(SimplifyTest)
#include "simplify_test.moc"
