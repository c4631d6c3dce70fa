// Whether two threads meet in an element: against every pair of their iterations, for indices made
// at random; and where there are far more iterations than anybody compares.
#include "engine/lowering/thread_races.h"

#include <QElapsedTimer>
#include <QtTest>
#include <map>
#include <set>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/stmt.h"
#include "engine/support/base/random.h"
#include "tests/support/thread_machine.h"

using namespace tw;
using namespace tw::ir;

namespace {

constexpr uint64_t kSeed = 20261129;
constexpr int kCases = 4'000;

/// Loops of two accesses: the first `common` are the same ones; the next is, too, and carries where
/// the order is not that of one iteration.
struct Drawn {
  Threads threads;
  std::vector<Stmt> alive;
  ThreadAccess first, second;
  size_t common = 0;
  Order order = Order::kSameIteration;
};

class Drawing {
public:
  explicit Drawing(uint64_t seed) : rng_(seed) {}

  Drawn draw() {
    Drawn drawn;
    drawn.threads = {{"ty", rng_.between(1, 3)}, {"tx", rng_.between(2, 8)}};
    drawn.common = size_t(rng_.below(3));
    drawn.order = Order(rng_.below(3));
    size_t shared = drawn.common + (drawn.order == Order::kSameIteration ? 0 : 1);
    for (size_t i = 0; i < shared; ++i) {
      For const* loop = loop_of(drawn, "c" + std::to_string(i));
      drawn.first.place.loops.push_back(loop);
      drawn.second.place.loops.push_back(loop);
    }
    fill(drawn, drawn.first, "a");
    fill(drawn, drawn.second, "b");
    drawn.second.indices.resize(drawn.first.indices.size(), int_imm(rng_.below(3)));
    drawn.first.writes = true;
    return drawn;
  }

private:
  For const* loop_of(Drawn& drawn, std::string const& name) {
    drawn.alive.push_back(make<For>(LoopId{1}, var(name), int_imm(rng_.between(2, 5)),
                                    LoopKind::kSerial, Stmt(), ""));
    return &drawn.alive.back().to<For>();
  }
  void fill(Drawn& drawn, ThreadAccess& access, std::string const& own) {
    access.tensor = "S";
    for (int64_t i = rng_.below(3); i-- > 0;)
      access.place.loops.push_back(loop_of(drawn, own + std::to_string(i)));
    names_ = {"ty", "tx"};
    for (For const* loop : access.place.loops) names_.push_back(loop->name());
    for (int64_t rank = rng_.between(1, 2); rank-- > 0;) access.indices.push_back(index());
    for (int64_t count = rng_.below(3); count-- > 0;)
      access.place.conditions.push_back(binary(rng_.below(2) ? BinaryOp::kLt : BinaryOp::kLe, sum(),
                                               int_imm(rng_.between(0, 9))));
  }
  Expr sum() {
    Expr total = int_imm(rng_.between(-3, 3));
    for (std::string const& name : names_)
      if (rng_.below(2)) total = total + var(name) * int_imm(rng_.between(-2, 8));
    return total;
  }
  Expr index() {
    Expr e = sum(), by = int_imm(rng_.between(2, 9));
    switch (rng_.below(7)) {
      case 0:
        return floor_mod(e, by);
      case 1:
        return floor_div(e, by) + sum();
      case 2:
        return min(e, by);
      case 3:
        return floor_mod(floor_div(e, by), int_imm(4)) * int_imm(3) + var(names_.back());
      case 4:
        return binary(BinaryOp::kBitXor, var("tx"), e);
      default:
        return e;
    }
  }

  Rng rng_;
  std::vector<std::string> names_;
};

struct Visit {
  int64_t thread, carried;
  auto operator<=>(Visit const&) const = default;
};
using Visits = std::map<std::vector<int64_t>, std::set<Visit>>;

/// By element and iteration of the loops that are common, which threads come.
Visits visits_of(Drawn const& drawn, ThreadAccess const& access) {
  ExprEvaluator evaluator;
  std::vector<std::pair<int, int64_t>> counters;  // slot, extent
  for (auto const& [name, extent] : drawn.threads)
    counters.push_back({evaluator.slot(name), extent});
  for (For const* loop : access.place.loops)
    counters.push_back({evaluator.slot(loop->name()), *as_int(loop->extent)});
  std::vector<Compiled> indices, conditions;
  for (Expr const& e : access.indices) indices.push_back(evaluator.compile(e));
  for (Expr const& e : access.place.conditions) conditions.push_back(evaluator.compile(e));
  Visits visits;
  std::vector<int64_t> at(counters.size());
  std::function<void(size_t)> run = [&](size_t depth) {
    if (depth < counters.size()) {
      for (at[depth] = 0; at[depth] < counters[depth].second; ++at[depth]) {
        evaluator.set(counters[depth].first, at[depth]);
        run(depth + 1);
      }
      return;
    }
    for (Compiled condition : conditions)
      if (evaluator.integer(condition, 0) == 0) return;
    std::vector<int64_t> key;
    for (Compiled index : indices) key.push_back(evaluator.integer(index, 0));
    for (size_t i = 0; i < drawn.common; ++i) key.push_back(at[2 + i]);
    bool carries = drawn.order != Order::kSameIteration;
    visits[key].insert(
        {at[0] * drawn.threads[1].second + at[1], carries ? at[2 + drawn.common] : 0});
  };
  run(0);
  return visits;
}

bool meet_by_hand(Drawn const& drawn) {
  Visits first = visits_of(drawn, drawn.first), second = visits_of(drawn, drawn.second);
  for (auto const& [key, some] : first)
    for (Visit const& a : some)
      for (Visit const& b : second[key]) {
        bool in_order = drawn.order == Order::kSameIteration ||
                        (drawn.order == Order::kNextIteration ? b.carried == a.carried + 1
                                                              : b.carried > a.carried);
        if (a.thread != b.thread && in_order) return true;
      }
  return false;
}

}  // namespace

class ThreadRacesTest : public QObject {
  Q_OBJECT
private slots:
  void all_pairs_of_iterations_say_the_same() {
    qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
    Drawing drawing(kSeed);
    Target const& target = *testing::thread_machine();
    int met = 0;
    for (int turn = 0; turn < kCases; ++turn) {
      Drawn drawn = drawing.draw();
      ThreadRaces races(target, drawn.threads);
      bool expected = meet_by_hand(drawn);
      met += expected;
      QVERIFY2(races.meet(drawn.first, drawn.second, drawn.common, drawn.order) == expected,
               qPrintable(QString::number(turn)));
    }
    qInfo("%d pairs, %d of them meet", kCases, met);
    QVERIFY(met > kCases / 10 && met < kCases * 9 / 10);
  }

  /// Iterations by the million take as long as a few.
  void long_loops_are_decided() {
    Target const& target = *testing::thread_machine();
    int64_t const most = int64_t(1) << 28;
    Stmt loop = make<For>(LoopId{1}, var("k"), int_imm(most), LoopKind::kSerial, Stmt(), "");
    For const* k = &loop.to<For>();
    Expr x = var("tx"), y = var("ty"), of = var("k");
    ThreadRaces races(target, {{"ty", 32}, {"tx", 32}});
    auto at = [&](Expr index, bool writes) {
      return ThreadAccess{"S", {std::move(index)}, writes, {{k}, {}}};
    };
    ThreadAccess own = at((of * 32 + y) * 32 + x, true);
    ThreadAccess slot = at((floor_mod(of, int_imm(2)) * 32 + y) * 32 + x, true);
    ThreadAccess other = at((floor_mod(of + 1, int_imm(2)) * 32 + y) * 32 + 31 - x, false);
    QElapsedTimer timer;
    timer.start();
    QVERIFY(!races.meet(own, own, 0, Order::kLaterIteration));
    QVERIFY(!races.meet(slot, other, 1, Order::kSameIteration));
    QVERIFY(races.meet(slot, other, 0, Order::kNextIteration));
    QVERIFY(!races.meet(slot, slot, 0, Order::kLaterIteration));
    // On the other side of a choice: one row of threads alone writes.
    Stmt row = make<Store>(make_buffer("S", DType::kF32, {most * 32}),
                           std::vector<Expr>{of * 32 + x}, float_imm(1));
    Stmt chosen = make<If>(y < 31, seq({}), row);
    std::vector<ThreadAccess> last = races.accesses(chosen, {{k}, {}});
    QCOMPARE(last.size(), size_t(1));
    QVERIFY(!races.meet(last[0], last[0], 1, Order::kSameIteration));
    last[0].place.conditions.clear();
    QVERIFY(races.meet(last[0], last[0], 1, Order::kSameIteration));
    qInfo("six answers in %lld us", static_cast<long long>(timer.nsecsElapsed() / 1000));
  }
};

QTEST_GUILESS_MAIN(ThreadRacesTest)
#include "thread_races_test.moc"
