// Parts whose elements do not lie in one row: a thread's two pieces of a row of columns. Which
// moves are taken is compared with all iterations, and what is taken with the plain program.
#include <QtTest>
#include <map>
#include <set>

#include "engine/arith/instances.h"
#include "engine/arith/linear.h"
#include "engine/ir/expr_evaluator.h"
#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

using Index = std::vector<int64_t>;

/// By the values of the outermost loops, as many as asked for, the elements that the block's store,
/// or its read of a tensor, reaches while the loops below run.
using Parts = std::map<Index, std::set<Index>>;

Parts parts_of(ir::BlockSite const& site, size_t still, std::string const& tensor) {
  ir::ExprEvaluator evaluator;
  std::vector<int> loops, iters;
  std::vector<ir::Compiled> bindings, indices;
  for (ir::For const* loop : site.loops) loops.push_back(evaluator.slot(loop->name()));
  for (ir::IterVar const& iter : site.block->iters) {
    bindings.push_back(evaluator.compile(iter.binding));
    iters.push_back(evaluator.slot(iter.name()));
  }
  ir::Compiled guard;
  if (site.block->predicate) guard = evaluator.compile(site.block->predicate);
  auto const& store = site.block->body.to<ir::Store>();
  std::vector<ir::Expr> reached = store.indices;
  ir::walk_exprs(site.block->body, [&](ir::Expr const& e) {
    if (auto const* read = e.as<ir::Load>(); read && read->buffer->name == tensor)
      reached = read->indices;
    return true;
  });
  for (ir::Expr const& index : reached) indices.push_back(evaluator.compile(index));
  Parts parts;
  Index point(site.loops.size(), 0);
  for (bool more = true; more;) {
    for (size_t i = 0; i < point.size(); ++i) evaluator.set(loops[i], point[i]);
    if (!guard.valid() || evaluator.integer(guard, 0)) {
      for (size_t i = 0; i < iters.size(); ++i)
        evaluator.set(iters[i], evaluator.integer(bindings[i], 0));
      Index element;
      for (ir::Compiled c : indices) element.push_back(evaluator.integer(c, 0));
      parts[Index(point.begin(), point.begin() + int64_t(still))].insert(element);
    }
    more = false;
    for (size_t i = point.size(); i-- > 0 && !more;)
      if (++point[i] < *ir::as_int(site.loops[i]->extent))
        more = true;
      else
        point[i] = 0;
  }
  return parts;
}

/// No element belongs to two iterations.
bool are_apart(Parts const& parts) {
  std::set<Index> seen;
  size_t count = 0;
  for (auto const& [point, elements] : parts) {
    seen.insert(elements.begin(), elements.end());
    count += elements.size();
  }
  return seen.size() == count;
}

size_t largest(Parts const& parts) {
  size_t most = 0;
  for (auto const& [point, elements] : parts) most = std::max(most, elements.size());
  return most;
}

/// While the outermost loops stand still, an iterator leaves values out.
bool has_gaps(ir::BlockSite const& site, size_t still) {
  return std::ranges::any_of(site.block->iters, [&](ir::IterVar const& iter) {
    arith::Linear binding = arith::to_linear(iter.binding);
    int64_t reach = 1;  // innermost first: of one iterator these have the shortest steps
    for (size_t i = site.loops.size(); i-- > still;) {
      int64_t step = binding.factor_of(site.loops[i]->name());
      if (step > reach) return true;
      if (step > 0) reach = step * *ir::as_int(site.loops[i]->extent);
    }
    return false;
  });
}

/// What one instance of a tensor holds that is allocated in the loops `around`.
std::optional<int64_t> elements_of_instance(ir::Program const& program, Target const& target,
                                            std::string const& tensor) {
  std::optional<int64_t> elements;
  auto look = [&](auto&& self, ir::Stmt const& s, std::vector<ir::For const*> around) -> void {
    if (auto const* loop = s.as<ir::For>()) {
      around.push_back(loop);
      self(self, loop->body, around);
    } else if (auto const* list = s.as<ir::Seq>()) {
      for (ir::Stmt const& child : list->stmts) self(self, child, around);
    } else if (auto const* alloc = s.as<ir::Alloc>()) {
      if (alloc->buffer->name == tensor) {
        elements = 1;
        for (ir::Expr const& extent : arith::instances_of(*alloc, around, target.sharing()).shape)
          *elements *= *ir::as_int(extent);
      }
      self(self, alloc->body, around);
    }
  };
  look(look, program.body, {});
  return elements;
}

/// A product whose loops are split again and again, and are in any order.
struct Drawn {
  explicit Drawn(std::string text)
      : kernel(std::move(text)),
        plain(te::to_program(testing::parsed_kernel(kernel).value()).value()),
        schedule(plain, testing::thread_machine()) {}

  std::string kernel;
  ir::Program plain;
  Schedule schedule;
  bool whole = true;  ///< every split divides its loop
};

Drawn drawn(Rng& rng, bool whole) {
  int64_t const kSizes[] = {6, 8, 12, 16, 24};
  auto size = [&] { return std::to_string(kSizes[rng.below(5)]); };
  std::string m = size(), n = size(), k = std::to_string(rng.between(2, 6));
  Drawn one("kernel product(A: f32[" + m + ", " + k + "], B: f32[" + k + ", " + n +
            "]) -> C\n  C[i in " + m + ", j in " + n + "] = sum[k in " + k +
            "] A[i, k] * B[k, j]\n");
  auto take = [&](Step const& step) {
    auto next = one.schedule.apply(step);
    if (next) one.schedule = std::move(*next);
    return next.has_value();
  };
  take({"cache_write", {"C"}, {{"scope", std::string("local")}}, {}});
  auto loops = [&] { return find_block(one.schedule.program(), "C")->loops; };
  auto name = [&](ir::For const* loop) { return reference_of(one.schedule.program(), loop->id); };
  for (int64_t splits = rng.between(3, 7); splits > 0; --splits) {
    auto around = loops();
    ir::For const* loop = around[size_t(rng.below(int64_t(around.size())))];
    int64_t extent = *ir::as_int(loop->extent), factor = rng.between(2, 6);
    if (factor >= extent || (whole && extent % factor != 0)) continue;
    take({"split", {name(loop)}, {{"factor", factor}}, {}});
    one.whole = one.whole && extent % factor == 0;
  }
  std::vector<ir::For const*> order = loops();
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[size_t(rng.below(int64_t(i)))]);
  // Mostly what is summed up is inside, so that there is a place to go to.
  if (rng.below(4) > 0)
    std::ranges::stable_partition(order, [&](ir::For const* loop) {
      return !ir::uses_variable(find_block(one.schedule.program(), "C")->block->iters[2].binding,
                                loop->name());
    });
  Step reorder{"reorder", {}, {}, {}};
  for (ir::For const* loop : order) reorder.targets.push_back(name(loop));
  take(reorder);
  return one;
}

/// Empty: it computes what the plain program computes.
std::string fault_of(Drawn const& one, Schedule const& schedule, Rng& rng) {
  std::vector<NDArray> inputs = testing::random_inputs(one.plain, rng);
  auto expected = ir::interpret(one.plain, inputs).value();
  auto actual = ir::interpret(schedule.program(), inputs, {.shuffle_seed = rng.next() | 1});
  if (!actual) return to_sentence(actual.error());
  return compare((*actual)[0], expected[0], 1e-4).equal ? "" : "another result";
}

struct Counts {
  int right = 0, taken = 0, gaps = 0, wrong = 0;
};

}  // namespace

class StridedTilesTest : public QObject {
  Q_OBJECT
private slots:
  void a_tile_is_written_back_exactly_where_it_is_finished_data() {
    QTest::addColumn<bool>("whole");
    QTest::newRow("splits that divide") << true;
    QTest::newRow("any splits") << false;
  }
  void a_tile_is_written_back_exactly_where_it_is_finished() {
    QFETCH(bool, whole);
    uint64_t seed = whole ? 4101 : 4102;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Rng rng(seed);
    Counts counts;
    for (int draw = 0; draw < 150; ++draw) {
      Drawn one = drawn(rng, whole);
      ir::BlockSite site = *find_block(one.schedule.program(), "C");
      for (size_t still = 1; still < site.loops.size(); ++still) {
        std::string place = reference_of(one.schedule.program(), site.loops[still - 1]->id);
        Parts parts = parts_of(site, still, "C_cache");
        bool finished = are_apart(parts);
        auto next = one.schedule.apply({"reverse_compute_at", {"C_write", place}, {}, {}});
        std::string text = one.kernel + one.schedule.script() + place +
                           (next ? "" : " " + next.error().code + ": " + next.error().message);
        ++(finished ? counts.right : counts.wrong);
        QVERIFY2(finished || !next, text.c_str());
        if (one.whole) QVERIFY2(!finished || next, text.c_str());
        if (!next) continue;
        ++counts.taken;
        std::string fault = fault_of(one, *next, rng);
        QVERIFY2(fault.empty(), (text + fault).c_str());
        auto elements = elements_of_instance(next->program(), next->target(), "C_cache");
        QVERIFY(elements);
        if (one.whole) QCOMPARE(size_t(*elements), largest(parts));
        counts.gaps += has_gaps(*find_block(next->program(), "C_write"), still);
      }
    }
    qInfo("%d of %d finished parts taken, %d with gaps; %d that are not finished refused",
          counts.taken, counts.right, counts.gaps, counts.wrong);
    QVERIFY(counts.gaps > 40);
    QVERIFY(counts.wrong > 40);
    // A part of a part whose loops end early is asked for whole.
    QVERIFY(counts.taken * 100 >= counts.right * 70);
  }

  void a_cache_holds_the_elements_that_are_read() {
    qInfo("seed 4103");
    Rng rng(4103);
    int gaps = 0, taken = 0;
    for (int draw = 0; draw < 150; ++draw) {
      Drawn one = drawn(rng, true);
      std::string tensor = rng.below(2) ? "A" : "B", cache = tensor + "_cache";
      auto cached = one.schedule.apply(
          {"cache_read", {"C"}, {{"tensor", tensor}, {"scope", std::string("local")}}, {}});
      QVERIFY(cached);
      ir::BlockSite site = *find_block(cached->program(), "C");
      size_t still = size_t(rng.between(1, int64_t(site.loops.size()) - 1));
      std::string place = reference_of(cached->program(), site.loops[still - 1]->id);
      auto next = cached->apply({"compute_at", {cache, place}, {}, {}});
      std::string text = one.kernel + cached->script() + place;
      QVERIFY2(next, (text + (next ? "" : " " + next.error().message)).c_str());
      ++taken;
      std::string fault = fault_of(one, *next, rng);
      QVERIFY2(fault.empty(), (text + fault).c_str());
      size_t used = largest(parts_of(site, still, cache));
      auto elements = elements_of_instance(next->program(), next->target(), cache);
      QVERIFY(elements);
      QVERIFY2(size_t(*elements) == used,
               (text + "\n" + ir::to_text(next->program()) + std::to_string(*elements) + " for " +
                std::to_string(used))
                   .c_str());
      gaps += has_gaps(*find_block(next->program(), cache), still);
    }
    qInfo("%d caches, %d with gaps", taken, gaps);
    QVERIFY(gaps > 15);
  }
};

QTEST_GUILESS_MAIN(StridedTilesTest)
#include "strided_tiles_test.moc"
