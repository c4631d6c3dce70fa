// Random legal schedules of random kernels, with loops bound at random, as OpenCL C on a device:
// what is taken computes what the plain program does. TW_TEST_TRACES and TW_TEST_SEED: how many,
// and which.
#include <QtTest>

#include "targets/opencl/compiler/opencl_backend.h"
#include "targets/opencl/hardware/description.h"
#include "targets/opencl/runtime/opencl_processor.h"
#include "tests/support/random_bindings.h"
#include "tests/support/random_schedules.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

int traces() {
  return qEnvironmentVariableIsSet("TW_TEST_TRACES")
             ? qEnvironmentVariableIntValue("TW_TEST_TRACES")
             : 250;
}
uint64_t seed() {
  return qEnvironmentVariableIsSet("TW_TEST_SEED")
             ? qEnvironmentVariable("TW_TEST_SEED").toULongLong()
             : 20261129;
}

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

}  // namespace

class RandomTest : public QObject {
  Q_OBJECT
private slots:
  void bound_schedules_compute_the_same() {
    auto device = opencl::find_device("");
    if (!device) QSKIP(qPrintable(QString::fromStdString(device.error().message)));
    auto backend = opencl::create_opencl_backend(device->hardware).value();
    auto processor = opencl::create_opencl_processor(*device, 1 << 26).value();
    ir::Sharing sharing = placed_sharing(backend->target());
    qInfo("seed %llu", static_cast<unsigned long long>(seed()));
    Rng rng(seed());
    std::map<std::string, int> refused;
    int taken = 0, threads = 0, barriers = 0;
    for (int trace = 0; trace < traces(); ++trace) {
      std::string text = testing::test_kernel(trace, testing::kernel_set(), rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Schedule schedule = testing::random_bound_schedule(
          Schedule(te::to_program(kernel).value(), backend->shared_target()), trace, rng);
      std::vector<NDArray> inputs = testing::random_inputs(kernel, rng);
      auto stages = lower(schedule.program(), backend->target(), backend->passes());
      auto code =
          stages ? backend->generate(stages->back().kernel, CodeTier::kFull, CodeTexts::kAll, {})
                 : std::unexpected(stages.error());
      if (!code) {
        ++refused[code.error().code];
        QVERIFY2(code.error().code != "pass_failed_check",
                 (sentence(code) + "\n" + text + schedule.script()).c_str());
        continue;
      }
      ++taken;
      std::string const& source = code->listings[0].text;
      threads += source.contains("get_local_id");
      barriers += source.contains("barrier(");
      std::string said = text + schedule.script() + source;
      te::Expected expected = testing::expected_of(kernel, inputs);
      auto interpreted =
          ir::interpret(stages->back().kernel, inputs.size(), inputs,
                        {.shuffle_seed = seed(), .sizes = {}, .sharing = &sharing, .stop = {}});
      QVERIFY2(interpreted, (sentence(interpreted) + "\n" + said).c_str());
      QVERIFY2(te::judge(*interpreted, expected).equal, said.c_str());
      auto outputs = testing::run_on(*processor, *backend, schedule.origin(), *code, inputs);
      QVERIFY2(outputs, (sentence(outputs) + "\n" + said).c_str());
      QVERIFY2(te::judge(*outputs, expected).equal, said.c_str());
    }
    for (auto const& [code, count] : refused) qInfo("%d refused: %s", count, code.c_str());
    qInfo("%d of %d taken, %d with threads, %d with barriers", taken, traces(), threads, barriers);
    QVERIFY(taken * 3 >= traces());
    QVERIFY(threads * 4 >= taken && barriers * 50 >= taken);
  }
};

QTEST_GUILESS_MAIN(RandomTest)
#include "random_test.moc"
