// Sectors that an index reaches, beside a walk over all iterations.
#include <QtTest>

#include <set>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/op.h"
#include "engine/support/base/random.h"
#include "targets/shared/gpu/footprint.h"

using namespace tw;
using namespace tw::ir;

namespace {

struct Drawn {
  Expr index = int_imm(0);
  gpu::Running running;
};

double walked_bytes(Drawn const& one, int element_bytes) {
  ExprEvaluator evaluator;
  Compiled index = evaluator.compile(one.index);
  std::vector<std::pair<int, int64_t>> loops;
  int64_t turns = 1;
  for (auto const& [name, extent] : one.running) {
    loops.push_back({evaluator.slot(name), extent});
    turns *= extent;
  }
  std::set<int64_t> sectors;
  for (int64_t turn = 0; turn < turns; ++turn) {
    int64_t rest = turn;
    for (auto const& [slot, extent] : loops) evaluator.set(slot, rest % extent), rest /= extent;
    sectors.insert(evaluator.integer(index, 0) * element_bytes / gpu::kSectorBytes);
  }
  return double(sectors.size()) * double(gpu::kSectorBytes);
}

/// Loops of which each steps over what the ones before it reach, or leaves room.
Drawn nested(Rng& rng) {
  Drawn one;
  int64_t reach = 1;
  for (int i = 0; i < 4; ++i) {
    std::string name = "i" + std::to_string(i);
    int64_t extent = rng.between(1, 9), step = reach * (rng.below(3) == 0 ? 64 : 1);
    one.running[name] = extent;
    one.index = one.index + var(name) * int_imm(step);
    reach = step * extent;
  }
  return one;
}

/// Any steps, with quotients and remainders among the terms.
Drawn any(Rng& rng) {
  Drawn one;
  for (int i = 0; i < 4; ++i) {
    std::string name = "i" + std::to_string(i);
    one.running[name] = rng.between(1, 12);
    Expr term = var(name);
    int64_t by = rng.between(2, 5);
    if (rng.below(4) == 0)
      term = floor_mod(term, int_imm(by)) * int_imm(7) + floor_div(term, int_imm(by));
    one.index = one.index + term * int_imm(rng.between(1, 60));
  }
  return one;
}

}  // namespace

class FootprintTest : public QObject {
  Q_OBJECT
private slots:
  void nested_steps_are_counted() {
    Rng rng(20261129);
    int exact = 0;
    for (int i = 0; i < 2000; ++i) {
      Drawn one = nested(rng);
      double counted = gpu::IndexReach(one.index, 4, 0).bytes(one.running);
      double walked = walked_bytes(one, 4);
      exact += counted == walked;
      QVERIFY2(counted >= 0.8 * walked && counted <= 1.5 * walked + 32,
               qPrintable(QString("%1: %2, not %3").arg(i).arg(counted).arg(walked)));
    }
    qInfo("%d of 2000 are exact", exact);
    QVERIFY(exact > 1200);
  }

  void any_steps_are_bounded() {
    Rng rng(20261130);
    for (int i = 0; i < 2000; ++i) {
      Drawn one = any(rng);
      double counted = gpu::IndexReach(one.index, 4, 0).bytes(one.running);
      double walked = walked_bytes(one, 4);
      QVERIFY2(counted >= 0.8 * walked,
               qPrintable(QString("%1: %2, not %3").arg(i).arg(counted).arg(walked)));
    }
  }

  void loops_that_stand_still_reach_nothing_more() {
    Expr index = var("i") * int_imm(1024) + var("k");
    gpu::IndexReach reach(index, 4, 1 << 20);
    QCOMPARE(reach.bytes({{"k", 16}}), 64.0);
    QCOMPARE(reach.bytes({{"i", 16}}), 16 * 32.0);
    QCOMPARE(reach.bytes({{"i", 16}, {"k", 1024}}), 65536.0);
    QCOMPARE(reach.bytes({{"i", 4096}, {"k", 1024}}), double(1 << 20));  // all that there is
    QCOMPARE(reach.bytes({}), 32.0);
  }

  void a_column_takes_a_sector_for_each_element() {
    Expr fused =
        floor_mod(var("t"), int_imm(64)) * int_imm(4096) + floor_div(var("t"), int_imm(64));
    QCOMPARE(gpu::IndexReach(fused, 4, 0).bytes({{"t", 64}}), 64 * 32.0);
    QCOMPARE(gpu::IndexReach(fused, 4, 0).bytes({{"t", 512}}), 64 * 32.0);
  }
};

QTEST_GUILESS_MAIN(FootprintTest)
#include "footprint_test.moc"
