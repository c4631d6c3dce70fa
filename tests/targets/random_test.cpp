// Random legal schedules on every target of the table: what a target takes computes what the plain
// program does. All kernels of a target are one library.
#include <QtTest>

#include "engine/backend/target_table.h"
#include "engine/device/device_runtime_table.h"
#include "engine/device/local_device.h"
#include "tests/support/paths.h"
#include "tests/support/random_schedules.h"
#include "tests/support/target_runs.h"

using namespace tw;

class RandomTest : public QObject {
  Q_OBJECT
private slots:
  void every_target_computes_random_schedules_or_refuses_them_data() {
    QTest::addColumn<QString>("target");
    for (TargetEntry const* entry : target_table())
      QTest::newRow(entry->name.c_str()) << QString::fromStdString(entry->name);
  }
  void every_target_computes_random_schedules_or_refuses_them() {
    QFETCH(QString, target);
    std::string name = target.toStdString();
    if (auto found = find_runtime(name); !found)
      QSKIP(qPrintable(QString::fromStdString(found.error().message)));
    auto backend = create_backend(target_hardware(name).value()).value();
    if (!backend->target().computes_with(DType::kF32))
      QSKIP("the target computes with bytes alone: its own tests draw kernels for it");
    std::vector<testing::Taken> taken;
    std::map<std::string, int> refused;
    take_some(*backend, taken, refused);
    for (auto const& [code, count] : refused) qInfo("%d refused: %s", count, code.c_str());
    qInfo("%zu of %d taken", taken.size(), kTraces);
    QVERIFY(taken.size() * 4 >= size_t(kTraces));
    LocalDevice device({.program = testing::built("/tests/test-device"), .target = name});
    auto loaded = testing::load_all(device, *backend, taken);
    QVERIFY2(loaded, loaded ? "" : to_sentence(loaded.error()).c_str());
    for (testing::Taken const& one : taken) {
      auto outputs = testing::run_taken(device, *loaded, one);
      QVERIFY2(outputs, outputs ? "" : (to_sentence(outputs.error()) + "\n" + one.text).c_str());
      QVERIFY2(te::judge(*outputs, one.expected).equal, one.text.c_str());
    }
  }

private:
  static constexpr int kTraces = 120;

  static void take_some(Backend const& backend, std::vector<testing::Taken>& taken,
                        std::map<std::string, int>& refused) {
    Rng rng(2026);
    for (int trace = 0; trace < kTraces; ++trace) {
      std::string text = testing::test_kernel(trace, testing::kernel_set(), rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      ir::Program program = te::to_program(kernel).value();
      program.name += "_" + std::to_string(trace);  // symbols of one library differ
      auto schedule = backend.default_schedule(program);
      for (int64_t tries = rng.between(0, 20); schedule && tries > 0; --tries)
        if (auto next = schedule->apply(testing::propose_step(schedule->program(), rng)))
          schedule = std::move(*next);
      std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
      auto stages = schedule ? lower(schedule->program(), backend.target(), backend.passes())
                             : std::unexpected(schedule.error());
      auto code =
          stages ? backend.generate(stages->back().kernel, CodeTier::kFast, CodeTexts::kNone, {})
                 : std::unexpected(stages.error());
      if (code)
        taken.push_back({program, text + schedule->script() + backend.target().name, inputs,
                         testing::expected_of(kernel, inputs), std::move(*code)});
      else
        ++refused[code.error().code];
    }
  }
};

QTEST_GUILESS_MAIN(RandomTest)
#include "random_test.moc"
