#include <QtTest>
#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/refusal_codes.h"
#include "engine/schedule/rewriting/tail_strategy.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

/// One run of the plain program, for schedules of it to be compared with.
struct Trial {
  std::vector<NDArray> inputs;
  te::Expected expected;
  uint64_t shuffle_seed;

  /// What is wrong with what the schedule computes; empty if nothing is.
  std::string fault_of(Schedule const& schedule) const {
    auto actual = ir::interpret(schedule.program(), inputs, {.shuffle_seed = shuffle_seed});
    if (!actual) return to_sentence(actual.error());
    if (!te::judge(*actual, expected).equal)
      return "another result:\n" + ir::to_text(schedule.program());
    return "";
  }
};

/// What went wrong, by the last step of the shortest script: a few of each kind are shown.
struct Faults {
  int count = 0;
  std::map<std::string, std::vector<std::string>> shown;

  void add(std::string const& step, std::string text) {
    ++count;
    if (shown[step].size() < 4) shown[step].push_back(std::move(text));
  }
  void print() const {
    for (auto const& [step, texts] : shown)
      for (std::string const& one : texts) qInfo("--- %s\n%s", step.c_str(), one.c_str());
  }
};

/// A loop of before that the step's cursors do not lead to loops of now; empty: none.
std::string lost_cursor(ir::Program const& before, Schedule const& now) {
  std::set<ir::LoopId> old, present;
  for (ir::LoopSite const& site : ir::loops_of(before.body)) old.insert(site.loop->id);
  for (ir::LoopSite const& site : ir::loops_of(now.program().body)) present.insert(site.loop->id);
  for (auto const& [from, to] : now.last_cursors())
    for (ir::LoopId id : to)
      if (!present.contains(id))
        return "a cursor from " + std::to_string(from.value) + " leads to no loop";
  for (ir::LoopId id : old)
    if (!present.contains(id) && !now.last_cursors().contains(id))
      return "the loop " + std::to_string(id.value) + " is gone without a cursor";
  return {};
}

}  // namespace

/// Random legal traces against the plain program, interpreted with parallel and vector loops in a
/// shuffled order: a step that should have been refused shows as a wrong result.
class RandomTracesTest : public QObject {
  Q_OBJECT
private slots:
  void legal_traces_compute_what_the_plain_program_computes() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20260102;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Rng rng(seed);
    testing::KernelSet set = testing::kernel_set();
    std::map<std::string, int> accepted, refused;
    // A long run is asked for with TW_TRACES.
    int kTraces = qEnvironmentVariableIntValue("TW_TRACES");
    if (kTraces <= 0) kTraces = 2000;
    std::vector<size_t> lengths;
    Faults wrong;
    for (int trace = 0; trace < kTraces; ++trace) {
      std::string text = testing::test_kernel(trace, set, rng);
      auto kernel = testing::parsed_kernel(text);
      QVERIFY2(kernel, kernel ? "" : (text + to_sentence(kernel.error())).c_str());
      ir::Program plain = te::to_program(*kernel).value();
      Schedule schedule(plain, testing::test_target(trace));
      int64_t length = rng.between(5, 18);
      for (int64_t tries = 0; tries < 80 && int64_t(schedule.trace().size()) < length; ++tries) {
        Step step = testing::propose_step(schedule.program(), rng, schedule.target());
        auto next = schedule.apply(step);
        ++(next ? accepted : refused)[step.primitive];
        if (auto tail = step.arguments.find("tail"); tail != step.arguments.end())
          ++(next ? accepted : refused)["tail=" + std::get<std::string>(tail->second)];
        if (next) {
          if (std::string lost = lost_cursor(schedule.program(), *next); !lost.empty())
            wrong.add(step.primitive, text + schedule.script() + to_text(step) + "\n" + lost);
          schedule = std::move(*next);
        } else if (!may_refuse(*find_primitive(step.primitive), schedule.program(),
                               next.error().code)) {
          wrong.add(step.primitive, text + schedule.script() + to_text(step) +
                                        "\nits row does not list " + next.error().code + "\n");
        } else if (next.error().code == "invalid_result") {
          wrong.add(step.primitive, text + schedule.script() + to_text(step) + "\n" +
                                        next.error().message + "\n" +
                                        ir::to_text(schedule.program()));
        }
      }
      lengths.push_back(schedule.trace().size());
      Trial trial{testing::random_inputs(*kernel, rng), {}, rng.next() | 1};
      trial.expected = testing::expected_of(*kernel, trial.inputs);
      if (!trial.fault_of(schedule).empty()) {
        auto is_wrong = [&](Schedule const& one) { return !trial.fault_of(one).empty(); };
        Schedule least = testing::shrunk(schedule, is_wrong);
        wrong.add(least.trace().empty() ? "" : least.trace().back().step.primitive,
                  text + least.script() + trial.fault_of(least));
      }
      auto script = parse_script(schedule.script());
      QVERIFY2(script.has_value(), (text + schedule.script()).c_str());
      auto again = replay(Schedule(plain, testing::test_target(trace)), *script);
      QVERIFY2(again.has_value(), (text + schedule.script()).c_str());
      QVERIFY(ir::equal(again->program(), schedule.program()));
    }
    wrong.print();
    QCOMPARE(wrong.count, 0);
    std::ranges::sort(lengths);
    qInfo("%zu traces, median %zu accepted steps", lengths.size(), lengths[lengths.size() / 2]);
    QVERIFY(lengths[lengths.size() / 2] >= 8);
    for (std::string const& word : tail_words()) {
      std::string name = "tail=" + word;
      qInfo("%-10s accepted %5d, refused %5d", name.c_str(), accepted[name], refused[name]);
      QVERIFY2(accepted[name] >= kTraces / 40, name.c_str());
    }
    for (Primitive const* primitive : primitive_table()) {
      qInfo("%-10s accepted %5d, refused %5d", primitive->name.c_str(), accepted[primitive->name],
            refused[primitive->name]);
      if (testing::is_proposed(*primitive, *testing::thread_machine()))
        QVERIFY2(accepted[primitive->name] >= testing::least_accepted(*primitive, kTraces),
                 primitive->name.c_str());
    }
  }
};

QTEST_GUILESS_MAIN(RandomTracesTest)
#include "random_traces_test.moc"
