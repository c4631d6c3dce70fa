// Which indices are computed in 32 bits: at the limits, and for random ones every number on the way
// to the value, in the order in which sums are built.
#include <QtTest>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/text.h"
#include "engine/support/base/random.h"
#include "targets/shared/llvm/narrow_indices.h"

using namespace tw;
using namespace tw::ir;

namespace {

constexpr int64_t kMost = INT32_MAX;

Expr random_index(Rng& rng, int depth) {
  if (depth == 0 || rng.below(5) == 0)
    return rng.below(3) == 0 ? int_imm(int64_t(rng.between(-40, 40)) << rng.below(28))
                             : var(std::string(1, char('a' + rng.below(3))));
  Expr a = random_index(rng, depth - 1);
  switch (rng.below(7)) {
    case 0:
      return a + random_index(rng, depth - 1);
    case 1:
      return a - random_index(rng, depth - 1);
    case 2:
      return a * (int64_t(1) << rng.below(20));
    case 3:
      return a * random_index(rng, depth - 1);
    case 4:
      return binary(rng.below(2) ? BinaryOp::kFloorDiv : BinaryOp::kFloorMod, a,
                    int_imm(rng.between(1, 9)));
    case 5:
      return binary(BinaryOp(int(BinaryOp::kMin) + rng.below(2)), a, random_index(rng, depth - 1));
    default:
      return select(a < random_index(rng, depth - 1), a, random_index(rng, depth - 1));
  }
}

struct Outcome {
  std::map<std::string, int64_t> values;
  bool fits = true;

  __int128 seen(__int128 number) {
    fits = fits && number >= INT32_MIN && number <= INT32_MAX;
    return number;
  }
  /// As sums are built: terms times factors one after the other, the constant last.
  __int128 sum(arith::Linear const& linear) {
    __int128 all = 0;
    for (auto const& term : linear.terms) all = seen(all + seen(of(term.term) * term.factor));
    return seen(all + linear.constant);
  }
  __int128 of(Expr const& e) {
    if (auto const* number = e.as<IntImm>()) return seen(number->value);
    if (auto const* variable = e.as<Variable>()) return seen(values.at(variable->name));
    if (auto const* node = e.as<Select>()) {
      if (auto const* known = node->condition.as<IntImm>())
        return seen(known->value != 0 ? of(node->a) : of(node->b));
      auto const& less = node->condition.to<Binary>();
      Outcome aside{values};  // compared in 64 bits where it has to
      return seen(aside.of(less.a) < aside.of(less.b) ? of(node->a) : of(node->b));
    }
    auto const& node = e.to<Binary>();
    if (is_sum(node.op) && !is_product(e)) return sum(arith::to_linear(e));
    __int128 a = of(node.a), b = of(node.b);
    if (node.op == BinaryOp::kMul) return seen(a * b);
    if (node.op == BinaryOp::kMin) return seen(std::min(a, b));
    if (node.op == BinaryOp::kMax) return seen(std::max(a, b));
    __int128 quotient = a / b - (a % b < 0 ? 1 : 0);
    return seen(node.op == BinaryOp::kFloorDiv ? quotient : a - quotient * b);
  }
};

}  // namespace

class NarrowIndicesTest : public QObject {
  Q_OBJECT
private slots:
  void limits_are_exact() {
    arith::Ranges ranges;
    ranges.set("a", {0, kMost});
    ranges.set("b", {0, 1});
    ranges.set("c", {0, 15});
    QVERIFY(fits_in_32_bits(var("a"), ranges));
    QVERIFY(!fits_in_32_bits(var("unknown"), ranges));
    QVERIFY(!fits_in_32_bits(var("a") + var("b"), ranges));
    QVERIFY(!fits_in_32_bits(floor_div(var("a") + var("b"), int_imm(2)), ranges));
    QVERIFY(fits_in_32_bits(var("b") * kMost, ranges));
    QVERIFY(!fits_in_32_bits(var("b") * kMost + 1, ranges));
    QVERIFY(fits_in_32_bits(var("c") * (kMost / 15), ranges));
    QVERIFY(!fits_in_32_bits(var("c") * (kMost / 15 + 1), ranges));
    QVERIFY(!fits_in_32_bits(binary(BinaryOp::kFloorDiv, var("c"), var("b")), ranges));
  }

  void nothing_on_the_way_leaves_them() {
    Rng rng(3);
    int narrow = 0;
    for (int trial = 0; trial < 20000; ++trial) {
      arith::Ranges ranges;
      std::map<std::string, arith::Interval> intervals;
      for (char const* name : {"a", "b", "c"}) {
        int64_t low = rng.below(3) == 0 ? -(int64_t(1) << rng.below(31)) : 0;
        intervals[name] = {low, low + (int64_t(1) << rng.below(31)) - 1};
        ranges.set(name, intervals[name]);
      }
      Expr e = random_index(rng, 4);
      if (!fits_in_32_bits(e, ranges)) continue;
      ++narrow;
      for (int draw = 0; draw < 30; ++draw) {
        Outcome outcome;
        for (auto const& [name, values] : intervals) {
          int64_t inside = values.low + int64_t(rng.below(uint64_t(values.high - values.low) + 1));
          outcome.values[name] = draw % 3 == 0 ? values.low : draw % 3 == 1 ? values.high : inside;
        }
        outcome.of(e);
        QVERIFY2(outcome.fits, to_text(e).c_str());
      }
    }
    qInfo("%d of 20000 are narrow", narrow);
    QVERIFY(narrow > 2000 && narrow < 18000);
  }
};

QTEST_GUILESS_MAIN(NarrowIndicesTest)
#include "narrow_indices_test.moc"
