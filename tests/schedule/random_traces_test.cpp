#include <QtTest>
#include <algorithm>
#include <map>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"

using namespace tw;

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
    std::vector<ir::Program> programs;
    for (size_t k = 0; k < testing::small_kernels().size(); ++k)
      programs.push_back(testing::small_program(k).value());
    std::map<std::string, int> accepted, refused;
    // A long run is asked for with TW_TRACES.
    int kTraces = qEnvironmentVariableIntValue("TW_TRACES");
    if (kTraces <= 0) kTraces = 2000;
    std::vector<size_t> lengths;
    for (int trace = 0; trace < kTraces; ++trace) {
      ir::Program const& plain = programs[size_t(trace) % programs.size()];
      Schedule schedule(plain);
      int64_t length = rng.between(4, 14);
      for (int64_t tries = 0; tries < 60 && int64_t(schedule.trace().size()) < length; ++tries) {
        Step step = testing::propose_step(schedule.program(), rng);
        auto next = schedule.apply(step);
        ++(next ? accepted : refused)[step.primitive];
        if (next) {
          schedule = std::move(*next);
        } else {
          QVERIFY2(
              next.error().code != "invalid_result",
              (to_text(step) + ": " + next.error().message + "\n" + ir::to_text(schedule.program()))
                  .c_str());
        }
      }
      lengths.push_back(schedule.trace().size());
      std::vector<NDArray> inputs = testing::random_inputs(plain, rng);
      auto expected = ir::interpret(plain, inputs);
      auto actual = ir::interpret(schedule.program(), inputs, {.shuffle_seed = rng.next() | 1});
      QVERIFY2(expected && actual,
               (schedule.script() + (actual ? "" : to_sentence(actual.error()))).c_str());
      for (size_t i = 0; i < expected->size(); ++i)
        QVERIFY2(compare((*actual)[i], (*expected)[i], 1e-4).equal,
                 (schedule.script() + ir::to_text(schedule.program())).c_str());
      auto script = parse_script(schedule.script());
      QVERIFY2(script.has_value(), schedule.script().c_str());
      auto again = replay(Schedule(plain), *script);
      QVERIFY2(again.has_value(), schedule.script().c_str());
      QVERIFY(ir::equal(again->program(), schedule.program()));
    }
    std::ranges::sort(lengths);
    qInfo("%zu traces, median %zu accepted steps", lengths.size(), lengths[lengths.size() / 2]);
    QVERIFY(lengths[lengths.size() / 2] >= 8);
    for (Primitive const* primitive : primitive_table()) {
      qInfo("%-10s accepted %5d, refused %5d", primitive->name.c_str(), accepted[primitive->name],
            refused[primitive->name]);
      QVERIFY2(accepted[primitive->name] >= kTraces / 20, primitive->name.c_str());
    }
  }
};

QTEST_GUILESS_MAIN(RandomTracesTest)
#include "random_traces_test.moc"
