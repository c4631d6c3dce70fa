// Random legal schedules, compiled, against the reference interpreter on the plain program.
#include <QtTest>
#include <fstream>

#include <map>

#include "engine/ir/interpreter.h"
#include "engine/schedule/trace.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/support/compiled.h"
#include "tests/support/random_schedules.h"

using namespace tw;

class RandomCompiledTest : public QObject {
  Q_OBJECT
private slots:
  void two_thousand_random_schedules_compute_what_the_plain_programs_do() {
    uint64_t seed = qEnvironmentVariableIsSet("TW_TEST_SEED")
                        ? qEnvironmentVariable("TW_TEST_SEED").toULongLong()
                        : 2026;
    int traces = qEnvironmentVariableIsSet("TW_TEST_TRACES")
                     ? qEnvironmentVariableIntValue("TW_TEST_TRACES")
                     : 2000;
    qInfo("seed %llu, %d traces", static_cast<unsigned long long>(seed), traces);
    Rng rng(seed);
    testing::KernelSet set = testing::kernel_set();
    auto backend = create_cpu_backend(detect_host()).value();
    Target target = *any_target();  // with the processor's words
    target.annotations = backend->target().annotations;
    auto shared = std::make_shared<Target const>(std::move(target));
    ThreadPool pool(2);
    std::map<std::string, int> accepted;
    int too_large = 0;
    for (int trace = 0; trace < traces; ++trace) {
      std::string text = testing::test_kernel(trace, set, rng);
      auto kernel = testing::parsed_kernel(text);
      QVERIFY2(kernel, kernel ? "" : (text + to_sentence(kernel.error())).c_str());
      ir::Program program = te::to_program(*kernel).value();
      std::vector<NDArray> inputs = testing::random_inputs(*kernel, rng);
      te::Expected expected = testing::expected_of(*kernel, inputs);
      Schedule schedule(program, shared);
      for (int64_t tries = rng.between(16, 60); tries > 0; --tries) {
        Step step = testing::propose_step(schedule.program(), rng, *shared);
        auto next = schedule.apply(step);
        if (!next) continue;
        schedule = *next;
        ++accepted[step.primitive];
      }
      auto stages = lower(schedule.program(), backend->target(), backend->passes());
      if (!stages && stages.error().code == "too_many_statements") {
        ++too_large;  // the bound's own answer
        continue;
      }
      QVERIFY2(
          stages,
          stages ? "" : (to_sentence(stages.error()) + "\n" + text + schedule.script()).c_str());
      if (trace % 10 == 0)  // every pass on its own, by the interpreter
        for (size_t i = 1; i < stages->size(); ++i) {
          auto outputs =
              ir::interpret((*stages)[i].kernel, inputs.size(), inputs, {.shuffle_seed = 5});
          QVERIFY2(outputs, outputs
                                ? ""
                                : ((*stages)[i].name + ": " + to_sentence(outputs.error()) + "\n" +
                                   text + schedule.script() + ir::print((*stages)[i].kernel).text)
                                      .c_str());
          QVERIFY2(te::judge(*outputs, expected).equal,
                   ((*stages)[i].name + "\n" + text + schedule.script() +
                    ir::print((*stages)[i].kernel).text)
                       .c_str());
        }
      // A kernel that crashes takes the test with it: its script stays behind.
      if (qEnvironmentVariableIsSet("TW_TEST_LAST"))
        std::ofstream(qEnvironmentVariable("TW_TEST_LAST").toStdString())
            << "trace " << trace << "\n"
            << text << schedule.script() << ir::print(stages->back().kernel).text;
      CodeTier tier = trace % 8 == 0    ? CodeTier::kFull
                      : trace % 16 == 4 ? CodeTier::kChecked
                                        : CodeTier::kFast;
      auto outputs =
          testing::run_compiled(stages->back().kernel, program, inputs, *backend, tier, pool);
      QVERIFY2(
          outputs,
          outputs ? "" : (to_sentence(outputs.error()) + "\n" + text + schedule.script()).c_str());
      QVERIFY2(te::judge(*outputs, expected).equal,
               (text + schedule.script() + ir::print(stages->back().kernel).text).c_str());
    }
    qInfo("%d of %d schedules unroll more than is compiled", too_large, traces);
    QVERIFY(too_large * 100 <= traces);
    for (auto const& [name, count] : accepted) {
      qInfo("%s accepted %d times", name.c_str(), count);
      QVERIFY2(count >= testing::least_accepted(*find_primitive(name), traces), name.c_str());
    }
    QCOMPARE(int64_t(accepted.size()),
             std::ranges::count_if(primitive_table(), [&](Primitive const* one) {
               // No random nest is what a processor's instruction does.
               return testing::is_proposed(*one, backend->target()) && one->name != "tensorize";
             }));
  }
};

QTEST_GUILESS_MAIN(RandomCompiledTest)
#include "random_compiled_test.moc"
