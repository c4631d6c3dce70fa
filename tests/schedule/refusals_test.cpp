// What is said of refused steps, over random steps on random schedules:
// - every offered repair is legal;
// - of the refusals for which one or two steps would do (found by trying many), most come with one;
// - a refusal that rests on a dependence shows two iterations that really meet in an element which
//   one of them writes.
#include <QtTest>

#include "engine/ir/rewrite.h"
#include "engine/ir/speculation.h"
#include "engine/ir/text.h"
#include "engine/schedule/names.h"
#include "engine/schedule/repairs.h"
#include "engine/schedule/trace.h"
#include "engine/schedule/validate.h"
#include "tests/support/access_trace.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

/// Refusals because iterations depend on one another.
std::set<std::string> const kDependence = {
    "reduction_carried", "order_carried", "dependence_carried",  "start_not_first",
    "starts_again",      "not_finished",  "not_finished_there",  "input_not_ready",
    "input_comes_later", "between_steps", "read_at_other_steps", "goes_on_from_itself"};

bool legal(Schedule schedule, std::string const& steps) {
  auto parsed = parse_steps(steps);
  if (!parsed) return false;
  for (Step const& step : *parsed) {
    auto next = schedule.apply(step);
    if (!next) return false;
    schedule = std::move(*next);
  }
  return true;
}

/// The same wish by one or two steps: the primitive on the same block or in the same nest with
/// other arguments, or some step and then this one.
bool one_or_two_would_do(Schedule const& schedule, Step const& step, Rng& rng) {
  Primitive const* primitive = find_primitive(step.primitive);
  for (int tries = 0; tries < 24; ++tries) {
    Step other = testing::propose_step(schedule.program(), rng, *primitive);
    bool block = !primitive->kinds.empty();
    bool same = block ? other.targets[0] == step.targets[0]
                      : other.targets[0].substr(0, other.targets[0].find('.')) ==
                            step.targets[0].substr(0, step.targets[0].find('.'));
    if (same && schedule.check(other)) return true;
  }
  for (int tries = 0; tries < 24; ++tries) {
    auto next = schedule.apply(testing::propose_step(schedule.program(), rng));
    if (next && next->check(step)) return true;
  }
  return false;
}

/// Loops by name: a refused order is shown in that order.
using Point = std::map<std::string, int64_t>;

/// Accesses to an element of a tensor (of any instance of it) in an iteration.
std::vector<testing::TracedAccess> accesses_at(ir::Program const& program,
                                               std::string const& tensor,
                                               std::vector<int64_t> const& index,
                                               Point const& point,
                                               std::vector<NDArray> const& inputs) {
  std::map<ir::LoopId, std::string> names;
  for (ir::LoopSite const& site : ir::loops_of(program.body))
    names[site.loop->id] = site.loop->name();
  std::vector<testing::TracedAccess> found;
  for (auto const& [element, accesses] : testing::AccessTracer::run(program, inputs)) {
    if (element.tensor != tensor || element.index != index) continue;
    for (testing::TracedAccess const& access : accesses) {
      Point loops;
      for (auto const& [id, value] : access.loops) loops[names[id]] = value;
      if (loops == point) found.push_back(access);
    }
  }
  return found;
}

/// Some index at which the block reads the tensor is read itself: whether iterations meet depends
/// on data then.
bool reads_by_data(ir::Program const& program, Conflict const& conflict) {
  bool by_data = false;
  for (ir::BlockSite const& site : ir::blocks_of(program.body))
    if (site.block->name == conflict.block)
      ir::walk_exprs(site.block->body, [&](ir::Expr const& e) {
        auto const* read = e.as<ir::Load>();
        if (read && read->buffer->name == conflict.buffer)
          for (ir::Expr const& index : read->indices)
            ir::walk(index, [&](ir::Expr const& x) {
              return by_data = by_data || x.as<ir::Load>(), !by_data;
            });
        return true;
      });
  return by_data;
}

bool happens(std::vector<ir::Program> const& programs, std::vector<NDArray> const& inputs,
             Conflict const& conflict, Iteration const& iteration, bool writes) {
  return std::ranges::any_of(programs, [&](ir::Program const& program) {
    Point point(iteration.loops.begin(), iteration.loops.end());
    auto found = accesses_at(program, conflict.buffer, conflict.index, point, inputs);
    return std::ranges::any_of(found, [&](testing::TracedAccess const& access) {
      return !writes || access.kind != testing::AccessKind::kRead;
    });
  });
}

/// Both iterations touch the element as is said, in the program as it is or as the step would make
/// it.
bool really_conflicts(Schedule const& schedule, Step const& step, Conflict const& conflict,
                      std::vector<NDArray> const& inputs) {
  std::vector<ir::Program> programs{schedule.program()};
  Primitive const* primitive = find_primitive(step.primitive);
  Step whole = step;
  for (Parameter const& parameter : primitive->parameters)
    if (parameter.preset) whole.arguments.try_emplace(parameter.name, *parameter.preset);
  std::vector<ir::LoopSite> loops;
  std::vector<ir::BlockSite> blocks;
  for (size_t i = 0; i < step.targets.size(); ++i)
    if (is_block_target(schedule.program(), *primitive, i, step.targets[i]))
      blocks.push_back(find_block(schedule.program(), step.targets[i]).value());
    else
      loops.push_back(find_loop(schedule.program(), step.targets[i]).value());
  if (step.primitive.contains("compute_"))
    programs.push_back(
        primitive->apply({schedule.program(), *any_target(), loops, whole, blocks}).program);
  return (conflict.first_writes || conflict.second_writes) &&
         happens(programs, inputs, conflict, conflict.first, conflict.first_writes) &&
         (happens(programs, inputs, conflict, conflict.second, conflict.second_writes) ||
          reads_by_data(programs.back(), conflict));
}

}  // namespace

class RefusalsTest : public QObject {
  Q_OBJECT
private slots:
  void refusals_show_what_conflicts_and_what_would_help() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20260401;
    int schedules = qEnvironmentVariableIntValue("TW_SCHEDULES");
    if (schedules <= 0) schedules = 180;
    qInfo("seed %llu, %d schedules", static_cast<unsigned long long>(seed), schedules);
    Rng rng(seed);
    for (int i = 0; i < schedules; ++i) {
      std::string text = testing::test_kernel(i, testing::KernelSet::kAll, rng);
      Schedule schedule(te::to_program(testing::parsed_kernel(text).value()).value());
      for (int64_t tries = rng.between(0, 6); tries > 0; --tries)
        if (auto next = schedule.apply(testing::propose_step(schedule.program(), rng)))
          schedule = std::move(*next);
      inputs_ = testing::random_inputs(schedule.program(), rng);
      for (int tries = 0; tries < 12; ++tries)
        ask(schedule, testing::propose_step(schedule.program(), rng), rng);
      if (QTest::currentTestFailed()) return;
    }
    report();
  }

private:
  /// Whether an index is read from a tensor.
  static bool is_chosen_by_data(ir::Program const& program) {
    bool found = false;
    auto looks = [&](ir::Touched const& access) {
      for (ir::Expr const& index : access.indices) found = found || ir::reads_tensor(index);
    };
    ir::walk_reads(program.body, looks);
    ir::walk_writes(program.body, looks);
    return found;
  }

  void ask(Schedule const& schedule, Step const& step, Rng& rng) {
    auto answer = schedule.check(step);
    if (answer) return;
    Refusal const& refusal = answer.error();
    std::string text = schedule.script() + to_text(step) + "\n" + refusal.code + ": " +
                       refusal.message + "\n" + ir::to_text(schedule.program());
    // What was not decided is refused in the words of shapes, without a pair.
    undecided_ += kDependence.contains(refusal.code) && refusal.undecided;
    if (kDependence.contains(refusal.code) && !refusal.undecided) {
      // Of a pair that only data decide nobody knows whether it meets: none is shown.
      if (!refusal.conflict && is_chosen_by_data(schedule.program())) return;
      ++dependences_;
      with_pair_ += refusal.conflict.has_value();
      if (!refusal.conflict) ++without_pair_[refusal.code];
      if (refusal.conflict)
        QVERIFY2(really_conflicts(schedule, step, *refusal.conflict, inputs_), text.c_str());
    }
    std::vector<Repair> repairs = repairs_for(schedule, step);
    for (Repair const& repair : repairs)
      QVERIFY2(legal(schedule, repair.step), (text + repair.step).c_str());
    if (repairs.empty() && !one_or_two_would_do(schedule, step, rng)) {
      ++hopeless_;
      return;
    }
    ++reparable_;
    if (repairs.empty()) ++without_repair_[step.primitive + " " + refusal.code];
  }

  void report() {
    int missing = 0;
    for (auto const& [code, count] : without_repair_) {
      missing += count;
      qInfo("without a repair, though one or two steps would do: %s %d", code.c_str(), count);
    }
    for (auto const& [code, count] : without_pair_)
      qInfo("a dependence without a pair of iterations: %s %d", code.c_str(), count);
    qInfo("%d of %d refusals that rest on a dependence show a pair that meets", with_pair_,
          dependences_);
    qInfo(
        "%d of %d refusals for which one or two steps would do come with a repair; for %d others "
        "none was found",
        reparable_ - missing, reparable_, hopeless_);
    qInfo("%d others could not be decided", undecided_);
    QVERIFY(dependences_ > 20 && reparable_ > 100);
    QVERIFY(undecided_ * 10 <= dependences_);
    QCOMPARE(with_pair_, dependences_);
    QVERIFY((reparable_ - missing) * 100 >= reparable_ * 60);
  }

  std::vector<NDArray> inputs_;
  int dependences_ = 0, undecided_ = 0, with_pair_ = 0, reparable_ = 0, hopeless_ = 0;
  std::map<std::string, int> without_repair_, without_pair_;
};

QTEST_GUILESS_MAIN(RefusalsTest)
#include "refusals_test.moc"
