// The kernels of the built-in models at every stage, plain and by rule: verified, printed and
// parsed back.
#include "tests/support/kernel_text.h"

#include "engine/compile/kernel_code.h"
#include "engine/compile/load_time.h"
#include "engine/compile/optimize.h"
#include "engine/compile/plan.h"
#include "engine/samples/samples.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"

using namespace tw;

class KernelTextTest : public QObject {
  Q_OBJECT
private slots:
  void every_stage_of_a_models_kernels_survives_its_text_data() {
    QTest::addColumn<QString>("sample");
    for (Sample const& sample : samples())
      QTest::newRow(sample.name.c_str()) << sample.name.c_str();
  }
  void every_stage_of_a_models_kernels_survives_its_text() {
    QFETCH(QString, sample);
    auto backend = create_cpu_backend(detect_host()).value();
    Plan plan =
        make_plan(optimize(open_sample(sample.toStdString()).value(), *backend).value()).value();
    int kernels = 0, stages = 0;
    for (KernelTask const& task : plan.kernels) {
      ir::Program plain = te::to_program(task.kernel).value();
      std::string script = backend->default_script(plain).value();
      for (std::string const& steps : {std::string(), script}) {
        LoadTimeSplit split =
            split_load_time(schedule_program(plain, steps, "rule", *backend).value());
        for (ir::Program const* program :
             {&split.at_run, split.at_load ? &*split.at_load : nullptr}) {
          if (!program) continue;
          auto count = testing::stages_that_survive(*program, backend->target(), backend->passes());
          QVERIFY2(count, count ? "" : (task.name + ": " + to_sentence(count.error())).c_str());
          stages += *count;
        }
      }
      ++kernels;
    }
    QVERIFY(kernels > 0 && stages >= kernels * 2 * int(backend->passes().size() + 1));
    qInfo("%d kernels, %d stages", kernels, stages);
  }
};

QTEST_GUILESS_MAIN(KernelTextTest)
#include "kernel_text_test.moc"
