// Kernels of random programs and schedules at every stage: verified, printed and parsed back.
#include "tests/support/kernel_text.h"

#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/support/random_schedules.h"

using namespace tw;

class KernelTextTest : public QObject {
  Q_OBJECT
private slots:
  void every_stage_of_random_schedules_survives_its_text() {
    int traces = qEnvironmentVariableIsSet("TW_TEST_TRACES")
                     ? qEnvironmentVariableIntValue("TW_TEST_TRACES")
                     : 400;
    Rng rng(2027);
    auto backend = create_cpu_backend(detect_host()).value();
    int survived = 0, too_large = 0;
    for (int trace = 0; trace < traces; ++trace) {
      std::string text = testing::test_kernel(trace, testing::kernel_set(), rng);
      ir::Program program = te::to_program(testing::parsed_kernel(text).value()).value();
      Schedule schedule(program);
      // The first of each turn is the plain program.
      for (int64_t tries = trace % 8 == 0 ? 0 : rng.between(4, 44); tries > 0; --tries)
        if (auto next = schedule.apply(testing::propose_step(schedule.program(), rng)))
          schedule = *next;
      auto stages =
          testing::stages_that_survive(schedule.program(), backend->target(), backend->passes());
      if (!stages && stages.error().code == "too_many_statements") {
        ++too_large;
        continue;
      }
      QVERIFY2(
          stages,
          stages ? "" : (to_sentence(stages.error()) + "\n" + text + schedule.script()).c_str());
      survived += *stages;
    }
    QVERIFY2(survived > 10 * (traces - too_large), "nearly all were lowered");
    qInfo("%d stages survive their text", survived);
  }
};

QTEST_GUILESS_MAIN(KernelTextTest)
#include "kernel_text_test.moc"
