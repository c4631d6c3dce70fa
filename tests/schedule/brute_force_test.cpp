#include <QtTest>
#include <map>
#include <set>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/schedule/legality/independence.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/permutation.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

struct Event {
  std::vector<int64_t> point;
  bool writes = false;
  bool update = false;  ///< a term of a sum; its order is free
};
using Element = std::pair<std::string, std::vector<int64_t>>;

/// Every access of every iteration of a block, in program order.
std::map<Element, std::vector<Event>> events_of(ir::BlockSite const& site) {
  ir::ExprEvaluator evaluator;
  std::vector<int> loops, iters;
  std::vector<ir::Compiled> bindings;
  ir::Compiled guard;
  for (ir::For const* loop : site.loops) loops.push_back(evaluator.slot(loop->name()));
  for (ir::IterVar const& iter : site.block->iters) {
    bindings.push_back(evaluator.compile(iter.binding));
    iters.push_back(evaluator.slot(iter.name()));
  }
  if (site.block->predicate) guard = evaluator.compile(site.block->predicate);
  auto const* store = site.block->body.as<ir::Store>();
  bool reduction = ir::reduction_of(*site.block).has_value();
  std::vector<std::pair<std::vector<ir::Compiled>, bool>> accesses;
  auto add = [&](std::vector<ir::Expr> const& indices, bool writes) {
    std::vector<ir::Compiled> compiled;
    for (ir::Expr const& index : indices) compiled.push_back(evaluator.compile(index));
    accesses.push_back({compiled, writes});
  };
  ir::walk_exprs(site.block->body, [&](ir::Expr const& e) {
    auto const* read = e.as<ir::Load>();
    if (read && read->buffer->name == store->buffer->name && !reduction) add(read->indices, false);
    return true;
  });
  add(store->indices, true);
  std::map<Element, std::vector<Event>> events;
  std::vector<int64_t> point(site.loops.size(), 0);
  for (bool more = true; more;) {
    for (size_t i = 0; i < point.size(); ++i) evaluator.set(loops[i], point[i]);
    if (!guard.valid() || evaluator.integer(guard, 0)) {
      bool starts = reduction;
      for (size_t i = 0; i < iters.size(); ++i) {
        int64_t value = evaluator.integer(bindings[i], 0);
        evaluator.set(iters[i], value);
        if (site.block->iters[i].kind == ir::IterKind::kReduce) starts = starts && value == 0;
      }
      for (auto const& [indices, writes] : accesses) {
        std::vector<int64_t> index;
        for (ir::Compiled c : indices) index.push_back(evaluator.integer(c, 0));
        events[{store->buffer->name, index}].push_back({point, writes, reduction && !starts});
      }
    }
    more = false;
    for (size_t i = point.size(); i-- > 0 && !more;)
      if (++point[i] < *ir::as_int(site.loops[i]->extent))
        more = true;
      else
        point[i] = 0;
  }
  return events;
}

bool clash(Event const& a, Event const& b) { return a.writes || b.writes; }

/// All pairs: no two iterations that differ in the loop, with equal loops around it, meet.
bool independent(ir::BlockSite const& site, size_t depth) {
  for (auto const& [element, events] : events_of(site))
    for (size_t a = 0; a < events.size(); ++a)
      for (size_t b = a + 1; b < events.size(); ++b)
        if (clash(events[a], events[b]) && events[a].point[depth] != events[b].point[depth] &&
            std::equal(events[a].point.begin(), events[a].point.begin() + int64_t(depth),
                       events[b].point.begin()))
          return false;
  return true;
}

/// All pairs that meet keep their order, except two terms of one sum.
bool order_kept(ir::BlockSite const& site, std::vector<size_t> const& order) {
  auto place = [&](Event const& event) {
    std::vector<int64_t> values;
    for (size_t i : order) values.push_back(event.point[i]);
    return values;
  };
  for (auto const& [element, events] : events_of(site))
    for (size_t a = 0; a < events.size(); ++a)
      for (size_t b = a + 1; b < events.size(); ++b)
        if (clash(events[a], events[b]) && !(events[a].update && events[b].update) &&
            place(events[b]) < place(events[a]))
          return false;
  return true;
}

struct Count {
  int legal = 0, legal_accepted = 0, illegal = 0, illegal_accepted = 0;
  void add(bool truth, bool answer) {
    ++(truth ? legal : illegal);
    if (answer) ++(truth ? legal_accepted : illegal_accepted);
  }
  bool exact() const {
    return illegal_accepted == 0 && legal_accepted == legal && legal > 50 && illegal > 50;
  }
  bool good() const {
    return illegal_accepted == 0 && legal > 50 && illegal > 50 &&
           legal_accepted * 100 >= legal * 95;
  }
};

Schedule random_schedule(Rng& rng, int trace) {
  Schedule schedule(
      testing::small_program(size_t(trace) % testing::small_kernels().size()).value());
  for (int tries = 0; tries < 12 && schedule.trace().size() < 4; ++tries) {
    Step step;
    do step = testing::propose_step(schedule.program(), rng);
    while (step.primitive != "split" && step.primitive != "fuse" && step.primitive != "reorder");
    if (auto next = schedule.apply(step)) schedule = std::move(*next);
  }
  return schedule;
}

}  // namespace

/// The questions of legality against all pairs of iterations of small nests.
class BruteForceTest : public QObject {
  Q_OBJECT
private slots:
  void independence_and_permutation_agree_with_all_pairs() {
    Rng rng(20260103);
    qInfo("seed 20260103");
    Count independence, permutation, carried_sets, overtaken_sets;
    for (int trace = 0; trace < 600; ++trace) {
      Schedule schedule = random_schedule(rng, trace);
      auto blocks = ir::blocks_of(schedule.program().body);
      ir::BlockSite const& site = blocks[size_t(rng.below(int64_t(blocks.size())))];
      int64_t points = 1;
      for (ir::For const* loop : site.loops) points *= *ir::as_int(loop->extent);
      if (points > 4000) continue;
      // A recurrence's blocks share its loop, and these questions are asked of one nest at a time;
      // the acceptance test runs whole programs of several blocks.
      bool shared = std::ranges::any_of(blocks, [&](ir::BlockSite const& other) {
        return other.block != site.block && other.loops[0] == site.loops[0];
      });
      if (shared) continue;
      for (size_t depth = 0; depth < site.loops.size(); ++depth) {
        bool answer =
            independent_iterations(schedule.program(), *any_target(),
                                   site_of(schedule.program(), site.loops[depth]->id), "parallel")
                .has_value();
        bool truth = independent(site, depth);
        independence.add(truth, answer);
        PairAnswer sets = find_carried({site}, *site.loops[depth], {}, ProofBudget::kWork);
        QVERIFY2(sets.unknown.empty(), sets.unknown.c_str());
        carried_sets.add(truth, sets.none());
        QVERIFY2(truth || !answer, (schedule.script() + site.loops[depth]->name() + "\n" +
                                    ir::to_text(schedule.program()))
                                       .c_str());
      }
      for (int tries = 0; tries < 4 && site.loops.size() > 1; ++tries) {
        std::vector<size_t> order(site.loops.size());
        for (size_t i = 0; i < order.size(); ++i) order[i] = i;
        for (size_t i = order.size(); i > 1; --i)
          std::swap(order[i - 1], order[size_t(rng.below(int64_t(i)))]);
        std::vector<ir::LoopSite> before, after;
        for (ir::For const* loop : site.loops)
          before.push_back(site_of(schedule.program(), loop->id));
        for (size_t i : order) after.push_back(before[i]);
        bool answer = permutable(*any_target(), before, after).has_value(),
             truth = order_kept(site, order);
        permutation.add(truth, answer);
        std::vector<ir::For const*> new_order;
        for (size_t i : order) new_order.push_back(site.loops[i]);
        PairAnswer sets = find_overtaken({site}, site.loops, new_order, {}, {}, ProofBudget::kWork);
        QVERIFY2(sets.unknown.empty(), sets.unknown.c_str());
        overtaken_sets.add(truth, sets.none());
        QVERIFY2(truth || !answer, (schedule.script() + ir::to_text(schedule.program())).c_str());
      }
    }
    for (auto const& [name, count] : {std::pair{"independence", independence},
                                      {"permutation", permutation},
                                      {"independence by integer sets alone", carried_sets},
                                      {"permutation by integer sets alone", overtaken_sets}})
      qInfo("%s: %d of %d legal accepted, %d of %d illegal accepted", name, count.legal_accepted,
            count.legal, count.illegal_accepted, count.illegal);
    QVERIFY(independence.good());
    QVERIFY(permutation.good());
    QVERIFY(carried_sets.exact());
    QVERIFY(overtaken_sets.exact());
  }
};

QTEST_GUILESS_MAIN(BruteForceTest)
#include "brute_force_test.moc"
