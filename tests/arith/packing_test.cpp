#include <QtTest>
#include <set>

#include "engine/arith/packing.h"
#include "engine/ir/expr_evaluator.h"
#include "engine/ir/op.h"
#include "engine/ir/text.h"
#include "engine/support/base/random.h"

using namespace tw;
using arith::Packing;
using ir::Expr;

namespace {

struct Counter {
  std::string name;
  int64_t extent;
};

arith::Ranges ranges_of(std::vector<Counter> const& counters) {
  arith::Ranges ranges;
  for (Counter const& one : counters) ranges.set(one.name, {0, one.extent - 1});
  return ranges;
}

/// A sum of some counters with factors from a short list, which often leave gaps.
Expr random_sum(std::vector<Counter> const& counters, Rng& rng) {
  int64_t const kFactors[] = {1, 2, 3, 4, 8, 12, 16, 64, -1, -4};
  Expr sum = ir::int_imm(rng.below(3) == 0 ? rng.between(-70, 70) : 0);
  for (Counter const& one : counters)
    if (rng.below(3) > 0)
      sum = sum + ir::var(one.name) * ir::int_imm(kFactors[rng.below(std::size(kFactors))]);
  return sum;
}

}  // namespace

class PackingTest : public QObject {
  Q_OBJECT
private slots:
  void pieces_of_columns_lie_side_by_side() {
    arith::Ranges ranges = ranges_of({{"a", 2}, {"b", 4}});
    Expr sum = ir::var("a") * ir::int_imm(64) + ir::var("b");
    Packing packing = arith::packing_of({arith::to_linear(sum)}, ranges).value();
    QCOMPARE(packing.size(), int64_t(8));
    QVERIFY((packing.digits == std::vector<Packing::Digit>{{64, 2}, {1, 4}}));
    QCOMPARE(ir::to_text(packing.place_of(sum, ranges)), std::string("a*4+b"));
  }

  void a_row_without_gaps_stays_one() {
    arith::Ranges ranges = ranges_of({{"a", 2}, {"b", 4}});
    Expr sum = ir::var("a") * ir::int_imm(4) + ir::var("b") - ir::int_imm(3);
    Packing packing = arith::packing_of({arith::to_linear(sum)}, ranges).value();
    QCOMPARE(packing.low, int64_t(-3));
    QVERIFY((packing.digits == std::vector<Packing::Digit>{{1, 8}}));
  }

  void what_has_no_bound_is_not_packed() {
    QVERIFY(!arith::packing_of({arith::to_linear(ir::var("n"))}, {}));
  }

  /// Numbers have places of their own, below the size, and all sums that are one number have one.
  void random_sums_keep_apart() {
    qInfo("seed 4104");
    Rng rng(4104);
    int packed = 0;
    for (int draw = 0; draw < 2000; ++draw) {
      std::vector<Counter> counters;
      for (char const* name : {"a", "b", "c"}) counters.push_back({name, rng.between(1, 5)});
      arith::Ranges ranges = ranges_of(counters);
      std::vector<Expr> sums;
      std::vector<arith::Linear> numbers;
      for (int64_t count = rng.between(1, 3); count > 0; --count) {
        sums.push_back(random_sum(counters, rng));
        numbers.push_back(arith::to_linear(sums.back()));
      }
      Packing packing = arith::packing_of(numbers, ranges).value();
      packed += packing.digits.size() > 1;
      std::map<int64_t, int64_t> number_at;  // by place
      int64_t least = INT64_MAX, most = INT64_MIN;
      for (Expr const& sum : sums) {
        ir::ExprEvaluator evaluator;
        std::vector<int> variables;
        for (Counter const& one : counters) variables.push_back(evaluator.slot(one.name));
        ir::Compiled number = evaluator.compile(sum);
        ir::Compiled place = evaluator.compile(
            packing.place_of(arith::simplify(sum - ir::int_imm(packing.low)), ranges));
        for (int64_t a = 0; a < counters[0].extent; ++a)
          for (int64_t b = 0; b < counters[1].extent; ++b)
            for (int64_t c = 0; c < counters[2].extent; ++c) {
              evaluator.set(variables[0], a), evaluator.set(variables[1], b),
                  evaluator.set(variables[2], c);
              int64_t at = evaluator.integer(place, 0), value = evaluator.integer(number, 0);
              QVERIFY(at >= 0 && at < packing.size());
              auto [known, added] = number_at.emplace(at, value);
              QCOMPARE(known->second, value);
              least = std::min(least, value), most = std::max(most, value);
            }
      }
      QVERIFY(packing.size() <= most - least + 1);
    }
    qInfo("%d of 2000 with gaps", packed);
    QVERIFY(packed > 500);
  }
};

QTEST_GUILESS_MAIN(PackingTest)
#include "packing_test.moc"
