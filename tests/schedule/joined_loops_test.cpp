// Numbers that several iterators make together, of which indices take quotients and remainders:
// what is said to determine all of them does, for all values.
#include <fmt/format.h>

#include <QtTest>
#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/support/base/random.h"

using namespace tw;
using namespace tw::ir;

namespace {

struct Case {
  std::vector<std::pair<std::string, int64_t>> iterators;  ///< the lowest first, with extents
  std::vector<Expr> indices;

  arith::Ranges ranges() const {
    arith::Ranges ranges;
    for (auto const& [name, extent] : iterators) ranges.set(name, {0, extent - 1});
    return ranges;
  }
  Expr sum() const {
    Expr sum = int_imm(0);
    int64_t factor = 1;
    for (auto const& [name, extent] : iterators) {
      sum = sum + var(name) * int_imm(factor);
      factor *= extent;
    }
    return arith::simplify(sum, ranges());
  }
  int64_t values() const {
    int64_t count = 1;
    for (auto const& iterator : iterators) count *= iterator.second;
    return count;
  }
};

bool is_shown(Case const& one) {
  for (JoinedLoops const& joined : joined_loops(one.indices, one.ranges()))
    if (joined.extent == one.values() && covers(one.indices, joined, one.ranges())) return true;
  return false;
}

/// By going through all values.
bool is_one_to_one(Case const& one) {
  std::set<std::vector<int64_t>> seen;
  for (int64_t number = 0; number < one.values(); ++number) {
    Substitution at;
    int64_t rest = number;
    for (auto const& [name, extent] : one.iterators) {
      at[name] = int_imm(rest % extent);
      rest /= extent;
    }
    std::vector<int64_t> values;
    for (Expr const& index : one.indices)
      values.push_back(*as_int(arith::simplify(substitute(index, at))));
    if (!seen.insert(std::move(values)).second) return false;
  }
  return true;
}

/// A quotient, a remainder or both, of the number or of an iterator.
Expr random_index(Case const& one, Rng& rng) {
  Expr of = one.sum();
  if (rng.below(4) == 0) of = var(one.iterators[rng.below(one.iterators.size())].first);
  if (rng.below(3) > 0) of = floor_div(of, int_imm(int64_t(1 + rng.below(12))));
  if (rng.below(3) > 0) of = floor_mod(of, int_imm(int64_t(2 + rng.below(12))));
  return arith::simplify(of, one.ranges());
}

}  // namespace

class JoinedLoopsTest : public QObject {
  Q_OBJECT
private slots:
  void places_of_pictures_show_their_iterators() {
    // Places of pictures of 7 x 7 and of 28 x 28, in eights.
    for (int64_t side : {7, 28}) {
      Case one{{{"b", 8}, {"a", side * side}}, {}};
      Expr p = one.sum();
      one.indices = {floor_div(p, int_imm(side * side)),
                     floor_mod(floor_div(p, int_imm(side)), int_imm(side)),
                     floor_mod(p, int_imm(side))};
      QVERIFY(is_shown(one));
      for (Expr& index : one.indices) index = arith::simplify(index, one.ranges());
      QVERIFY(is_shown(one));
      for (size_t without = 0; without < 3; ++without) {
        Case less = one;
        less.indices.erase(less.indices.begin() + int64_t(without));
        QVERIFY(!is_shown(less));
      }
    }
  }

  void what_is_shown_is_so() {
    uint64_t const seed = 43;
    Rng rng(seed);
    int shown = 0, others = 0;
    for (int i = 0; i < 4000; ++i) {
      Case one;
      for (char const* name : {"a", "b", "c"})
        if (one.iterators.size() < 2 || rng.below(2) == 0)
          one.iterators.push_back({name, int64_t(2 + rng.below(5))});
      for (size_t count = 1 + rng.below(3); one.indices.size() < count;)
        one.indices.push_back(random_index(one, rng));
      bool so = is_one_to_one(one);
      if (!is_shown(one)) {
        others += so;
        continue;
      }
      ++shown;
      QVERIFY2(so, fmt::format("seed {}, case {}", seed, i).c_str());
    }
    qInfo("%d shown, %d more are one to one", shown, others);
    QVERIFY(shown > 100);
  }
};

QTEST_GUILESS_MAIN(JoinedLoopsTest)
#include "joined_loops_test.moc"
