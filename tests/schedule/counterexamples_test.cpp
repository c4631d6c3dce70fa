// What a refusal shows as its reason happens: the two iterations are looked up in the program
// before the step, or in the one after it, and evaluated there.
#include <QtTest>
#include <algorithm>
#include <map>
#include <optional>

#include "engine/ir/accesses.h"
#include "engine/ir/expr_evaluator.h"
#include "engine/ir/text.h"
#include "engine/schedule/trace.h"
#include "tests/support/brute_force.h"

using namespace tw;

namespace {

/// What a block does to the element of a conflict in an iteration.
struct Use {
  ir::BlockId block;
  bool writes = false;
};

using Values = std::map<std::string, int64_t>;

/// Nothing where it depends on data.
std::optional<int64_t> value_of(ir::Expr const& e, Values const& values) {
  ir::ExprEvaluator evaluator;
  for (auto const& [name, value] : values) evaluator.set(evaluator.slot(name), value);
  int64_t value = evaluator.integer(evaluator.compile(e), 0);
  return evaluator.failed() ? std::nullopt : std::optional(value);
}

bool is_in(ir::BlockSite const& site, Values const& values) {
  return site.loops.size() == values.size() &&
         std::ranges::all_of(site.loops, [&](ir::For const* loop) {
           auto value = values.find(loop->name());
           return value != values.end() && value->second >= 0 &&
                  value->second < ir::as_int(loop->extent).value_or(1 << 30);
         });
}

/// All blocks of a program that stand in just these loops and use the element.
std::vector<Use> uses_of(ir::Program const& program, Iteration const& at,
                         Conflict const& conflict) {
  Values values(at.loops.begin(), at.loops.end());
  std::vector<Use> uses;
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) {
    ir::Expr const& guard = site.block->predicate;
    if (!is_in(site, values) || (guard && value_of(guard, values) == 0)) continue;
    for (ir::BlockAccess const& access : ir::accesses_of(*site.block)) {
      if (access.buffer->name != conflict.buffer || access.kind == ir::AccessKind::kHint) continue;
      bool there = std::ranges::all_of(access.conditions, [&](ir::Expr const& condition) {
        return value_of(condition, values) != 0;
      });
      for (size_t d = 0; d < access.indices.size(); ++d)
        there = there && value_of(access.indices[d], values) == conflict.index[d];
      if (there) uses.push_back({site.block->id, access.kind == ir::AccessKind::kWrite});
    }
  }
  return uses;
}

/// Two iterations (or two blocks of one) use the element, and one of them writes it.
bool happens(std::vector<ir::Program> const& programs, Conflict const& conflict) {
  std::vector<Use> first, second;
  for (ir::Program const& program : programs) {
    auto a = uses_of(program, conflict.first, conflict),
         b = uses_of(program, conflict.second, conflict);
    first.insert(first.end(), a.begin(), a.end());
    second.insert(second.end(), b.begin(), b.end());
  }
  bool apart = conflict.first.loops != conflict.second.loops;
  for (Use const& a : first)
    for (Use const& b : second)
      if ((a.writes || b.writes) && (apart || !(a.block == b.block))) return true;
  return false;
}

/// In the program before the step, or in the one after it. A refused rewriting may meet what it was
/// not written for: in a process of its own.
bool happens_in_either(Schedule const& schedule, Primitive const& primitive, Step step,
                       Conflict const& conflict) {
  ir::Program const plain = with_calls_expanded(schedule.program());  // as legality asks
  if (happens({schedule.program(), plain}, conflict)) return true;
  for (Parameter const& parameter : primitive.parameters)
    if (parameter.preset) step.arguments.try_emplace(parameter.name, *parameter.preset);
  pid_t child = fork();
  if (child == 0) {
    for (int stream : {1, 2}) close(stream);
    rlimit const no_dump{0, 0}, seconds{20, 20};
    setrlimit(RLIMIT_CORE, &no_dump);
    setrlimit(RLIMIT_CPU, &seconds);
    for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGXCPU})
      std::signal(signal, SIG_DFL);
    testing::Targets targets = testing::targets_of(schedule.program(), primitive, step);
    Applied applied = primitive.apply(
        {schedule.program(), schedule.target(), targets.loops, step, targets.blocks});
    _exit(happens({plain, with_calls_expanded(applied.program)}, conflict) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Schedule random_schedule(ir::Program const& plain, int number, Rng& rng) {
  Schedule schedule(plain, testing::test_target(number));
  auto length = size_t(rng.between(0, 5));
  for (int tries = 0; tries < 30 && schedule.trace().size() < length; ++tries)
    if (auto next =
            schedule.apply(testing::propose_step(schedule.program(), rng, schedule.target())))
      schedule = std::move(*next);
  return schedule;
}

struct Count {
  int shown = 0, by_data = 0, undecided = 0, wrong = 0;
};

}  // namespace

class CounterexamplesTest : public QObject {
  Q_OBJECT
private slots:
  void pairs_at_indices_that_are_not_linear_data() {
    QTest::addColumn<QString>("kernel");
    QTest::addColumn<QString>("steps");
    QTest::newRow("a clamped step of a recurrence")
        << "kernel k(X: f32[3, 5]) -> B\n"
           "  B[scan t in 3, i in 5]: f32 = X[t, i] + select(1 <= t, B[t-1, min(i+1, 4)], 0)\n"
        << "loop_partition(B.i, at=1)\nsoftware_pipeline(B.t, stages=\"2,0\")";
    QTest::newRow("a clamped window") << "kernel k(X: f32[6]) -> (T, Y)\n  T[i in 6] = X[i] * 2.0\n"
                                         "  Y[i in 6] = T[min(i+3, 5)] + 1.0\n"
                                      << "reverse_compute_at(Y, T.i)";
    QTest::newRow("two strides, one clamped")
        << "kernel k(X: f32[6]) -> Y\n  T[i in 6] = X[i] * 2.0\n"
           "  Y[i in 3] = T[min(i*2, 5)] + T[i*2+1]\n"
        << "split(T.i, factor=2)\nreverse_compute_at(Y, T.i.0)";
    QTest::newRow("a clamp that changes nothing")
        << "kernel k(X: f32[5]) -> Y\n  T[i in 5] = X[i] * 2.0\n"
           "  Y[i in 3, j in 4] = T[j] + T[min(j, 2)]\n"
        << "compute_at(T, Y.i)";
    QTest::newRow("a nearest neighbour")
        << "kernel k(X: f32[6, 6]) -> Y\n  T[i in 6, j in 6] = X[i, j] * 2.0\n"
           "  Y[i in 12, j in 6] = T[min((i*5)//10, 5), j]\n"
        << "compute_at(T, Y.i)";
    QTest::newRow("bits of an index") << "kernel k(X: f32[8]) -> Y\n  T[i in 8] = X[i] * 2.0\n"
                                         "  Y[i in 8] = T[(i >> 1) & 3] + T[i ^ 1]\n"
                                      << "compute_at(T, Y.i)";
  }
  /// Each is taken and right, or refused with a pair that happens, or not decided.
  void pairs_at_indices_that_are_not_linear() {
    QFETCH(QString, kernel);
    QFETCH(QString, steps);
    te::Kernel parsed = testing::parsed_kernel(kernel.toStdString()).value();
    Schedule schedule(te::to_program(parsed).value());
    auto script = parse_script("tilewright schedule 1\n" + steps.toStdString() + "\n").value();
    for (auto const& [line, step] : script.steps) {
      auto next = schedule.apply(step);
      if (next) {
        schedule = std::move(*next);
        continue;
      }
      qInfo("%s: %s", next.error().code.c_str(), next.error().message.c_str());
      if (next.error().conflict)
        QVERIFY(happens_in_either(schedule, *find_primitive(step.primitive), step,
                                  *next.error().conflict));
      return;
    }
    Rng rng(1);
    auto inputs = testing::random_inputs(parsed, rng);
    auto outputs = ir::interpret(schedule.program(), inputs, {.shuffle_seed = 7});
    QVERIFY(outputs && te::judge(*outputs, testing::expected_of(parsed, inputs)).equal);
  }

  void every_pair_that_a_refusal_shows_happens() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261128;
    // A long run is asked for with TW_TRACES: of so many counterexamples.
    int wanted = qEnvironmentVariableIntValue("TW_TRACES");
    if (wanted <= 0) wanted = 600;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Rng rng(seed);
    std::map<std::string, Count> counts;
    int shown = 0, wrong = 0;
    for (int number = 0; shown < wanted; ++number) {
      std::string text = number % 4 == 0
                             ? testing::test_kernel(number / 4, testing::KernelSet::kAll, rng)
                             : testing::random_kernel(rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Schedule schedule = random_schedule(te::to_program(kernel).value(), number, rng);
      for (int tries = 0; tries < 12; ++tries) {
        Step step = testing::propose_step(schedule.program(), rng, schedule.target());
        auto answer = schedule.check(step);
        if (answer) continue;
        Refusal const& refusal = answer.error();
        Count& count = counts[step.primitive];
        count.undecided += refusal.undecided;
        if (!refusal.conflict) continue;
        bool by_data = refusal.message.find("may read") != std::string::npos;
        ++(by_data ? count.by_data : count.shown);
        if (by_data) continue;
        ++shown;
        if (happens_in_either(schedule, *find_primitive(step.primitive), step, *refusal.conflict))
          continue;
        ++count.wrong;
        if (++wrong <= 6)
          qInfo("--- %s%s%s: %s\n%s", text.c_str(), schedule.script().c_str(),
                to_text(step).c_str(), refusal.message.c_str(),
                ir::to_text(schedule.program()).c_str());
      }
    }
    for (auto const& [name, count] : counts)
      qInfo("%-20s %4d shown, %d of them wrong; %d by data; %d undecided", name.c_str(),
            count.shown, count.wrong, count.by_data, count.undecided);
    QCOMPARE(wrong, 0);
  }
};

QTEST_GUILESS_MAIN(CounterexamplesTest)
#include "counterexamples_test.moc"
