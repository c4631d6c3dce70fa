#include <QtTest>

#include "engine/arith/intervals.h"
#include "engine/ir/bits.h"
#include "engine/ir/operators.h"
#include "engine/ir/type_rules.h"
#include "engine/support/base/random.h"

using namespace tw;
using arith::WideInterval;
using ir::BinaryOp;
using ir::UnaryOp;

namespace {

/// Plain arithmetic on small numbers, before it wraps; empty where there is no value.
std::optional<int64_t> plain(BinaryOp op, DType type, int64_t a, int64_t b) {
  auto quotient = [](int64_t x, int64_t y) {
    int64_t q = x / y;
    return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
  };
  bool outside = b < 0 || b >= size_of(type) * 8;
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kFloorDiv:
      return b == 0 ? std::nullopt : std::optional(quotient(a, b));
    case BinaryOp::kFloorMod:
      return b == 0 ? std::nullopt : std::optional(a - quotient(a, b) * b);
    case BinaryOp::kMin:
      return std::min(a, b);
    case BinaryOp::kMax:
      return std::max(a, b);
    case BinaryOp::kLt:
      return a < b;
    case BinaryOp::kLe:
      return a <= b;
    case BinaryOp::kEq:
      return a == b;
    case BinaryOp::kNe:
      return a != b;
    case BinaryOp::kAnd:
      return a && b;
    case BinaryOp::kOr:
      return a || b;
    case BinaryOp::kBitAnd:
      return a & b;
    case BinaryOp::kBitOr:
      return a | b;
    case BinaryOp::kBitXor:
      return a ^ b;
    case BinaryOp::kShiftLeft:
      return outside ? 0 : a * (int64_t(1) << b);
    case BinaryOp::kShiftRight:
      return outside ? (a < 0 ? -1 : 0) : a >> b;
    case BinaryOp::kDiv:
    case BinaryOp::kPow:
    case BinaryOp::kFmod:
      break;
  }
  return std::nullopt;
}

WideInterval random_interval(DType type, Rng& rng) {
  WideInterval all = arith::values_of(type);
  int64_t a = rng.between(int64_t(all.low), int64_t(all.high)),
          b = rng.below(2) ? a + rng.below(6) : rng.between(int64_t(all.low), int64_t(all.high));
  b = std::min(b, int64_t(all.high));
  return {std::min(a, b), std::max(a, b)};
}

bool holds(WideInterval const& interval, int64_t value) {
  return interval.low <= value && value <= interval.high;
}

}  // namespace

class IntervalsTest : public QObject {
  Q_OBJECT
private slots:
  void every_result_of_bytes_is_inside_and_exact_ends_are_reached() {
    uint64_t seed = 20261127;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Rng rng(seed);
    for (int round = 0; round < 800; ++round) {
      DType type = rng.below(2) ? DType::kI8 : DType::kU8;
      auto op = BinaryOp(rng.below(int64_t(ir::kBinarySyntax.size())));
      if (ir::operands_of(op) == ir::Operands::kFloats) continue;
      bool logic = op == BinaryOp::kAnd || op == BinaryOp::kOr;
      DType operands = logic ? DType::kBool : type;
      WideInterval a = random_interval(operands, rng), b = random_interval(operands, rng);
      WideInterval result = arith::interval_of(op, operands, a, b);
      int64_t least = INT64_MAX, most = INT64_MIN;
      for (auto x = int64_t(a.low); x <= int64_t(a.high); ++x)
        for (auto y = int64_t(b.low); y <= int64_t(b.high); ++y) {
          auto value = plain(op, operands, x, y);
          if (!value) continue;
          QVERIFY2(
              holds(result, *value),
              qPrintable(
                  QString("operator %1: %2, %3 gives %4").arg(int(op)).arg(x).arg(y).arg(*value)));
          least = std::min(least, *value);
          most = std::max(most, *value);
        }
      bool tight = op <= BinaryOp::kFloorDiv && op != BinaryOp::kDiv;
      if (tight && least <= most) QVERIFY(result.low == least && result.high == most);
      QCOMPARE(result.empty(), least > most);
    }
  }

  void every_result_of_a_function_is_inside() {
    Rng rng(7);
    for (DType type : {DType::kI8, DType::kU8})
      for (UnaryOp op :
           {UnaryOp::kNeg, UnaryOp::kAbs, UnaryOp::kBitNot, UnaryOp::kPopCount, UnaryOp::kRound})
        for (int round = 0; round < 200; ++round) {
          WideInterval a = random_interval(type, rng), result = arith::interval_of(op, type, a);
          for (auto x = int64_t(a.low); x <= int64_t(a.high); ++x) {
            uint64_t bits = uint64_t(x) & 0xFF;
            int64_t value = op == UnaryOp::kNeg   ? -x
                            : op == UnaryOp::kAbs ? std::abs(x)
                            : op == UnaryOp::kBitNot
                                ? (type == DType::kI8 ? ~x : int64_t(~bits & 0xFF))
                            : op == UnaryOp::kPopCount ? __builtin_popcountll(bits)
                                                       : x;
            QVERIFY(holds(result, value));
          }
        }
  }

  void products_of_the_widest_numbers_lie_beyond_every_type() {
    WideInterval all = arith::values_of(DType::kU64);
    WideInterval square = arith::interval_of(BinaryOp::kMul, DType::kU64, all, all);
    QVERIFY(square.low == 0);
    QVERIFY(!arith::within(square, all));
    WideInterval shifted = arith::interval_of(BinaryOp::kShiftLeft, DType::kI64,
                                              arith::values_of(DType::kI64), {62, 63});
    QVERIFY(!arith::within(shifted, arith::values_of(DType::kI64)));
  }
};

QTEST_GUILESS_MAIN(IntervalsTest)
#include "intervals_test.moc"
