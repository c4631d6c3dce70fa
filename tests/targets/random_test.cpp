// Random legal schedules on every target of the table: what a target takes computes what the plain
// program does. All kernels of a target are one library.
#include <QtTest>

#include "engine/backend/target_table.h"
#include "engine/device/local_device.h"
#include "engine/device/processor_table.h"
#include "tests/support/random_schedules.h"

using namespace tw;

namespace {

/// A kernel that a target took, with what it must compute.
struct Taken {
  ir::Program program;
  std::string text;  ///< of the kernel and its script, for messages
  std::vector<NDArray> inputs;
  te::Expected expected;
  Artifact code;
};

}  // namespace

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
    if (auto found = find_processor(name); !found)
      QSKIP(qPrintable(QString::fromStdString(found.error().message)));
    auto backend = create_backend(target_hardware(name).value()).value();
    if (!backend->target().computes_with(DType::kF32))
      QSKIP("the target computes with bytes alone: its own tests draw kernels for it");
    std::vector<Taken> taken;
    std::map<std::string, int> refused;
    take_some(*backend, taken, refused);
    for (auto const& [code, count] : refused) qInfo("%d refused: %s", count, code.c_str());
    qInfo("%zu of %d taken", taken.size(), kTraces);
    QVERIFY(taken.size() * 4 >= size_t(kTraces));
    std::vector<CodeParts> parts;
    for (Taken const& one : taken) parts.push_back(one.code.parts);
    auto library = backend->link(parts);
    QVERIFY2(library, library ? "" : to_sentence(library.error()).c_str());
    LocalDevice device({.program = TW_BINARY_DIR "/tests/test-device", .target = name});
    // A device that compiles what it loads may take a while.
    auto loaded = device.load(*library, {.stop = {}, .timeout = std::chrono::minutes(4)});
    QVERIFY2(loaded, loaded ? "" : to_sentence(loaded.error()).c_str());
    for (Taken const& one : taken) {
      auto outputs = run(device, *loaded, one);
      QVERIFY2(outputs, outputs ? "" : (to_sentence(outputs.error()) + "\n" + one.text).c_str());
      QVERIFY2(te::judge(*outputs, one.expected).equal, one.text.c_str());
    }
  }

private:
  static constexpr int kTraces = 120;

  static void take_some(Backend const& backend, std::vector<Taken>& taken,
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

  static Result<std::vector<NDArray>> run(Device& device, LibraryHandle const& library,
                                          Taken const& one) {
    DeviceStep step{library, one.code.symbol, {}, {}};
    for (NDArray const& input : one.inputs) {
      TRY_ASSIGN(TensorHandle tensor, put_tensor(device, input, {}));
      step.buffers.push_back({tensor, 0});
    }
    for (ir::Buffer const& output : one.program.outputs) {
      TRY_ASSIGN(NDArray empty, NDArray::create(output->type, *ir::constant_shape(*output)));
      TRY_ASSIGN(TensorHandle tensor, put_tensor(device, empty, {}));
      step.buffers.push_back({tensor, 0});
    }
    if (one.code.workspace_bytes > 0) {
      TRY_ASSIGN(step.workspace.tensor, device.allocate(one.code.workspace_bytes, {}));
    }
    TRY(device.run({&step, 1}, 2, {}));
    std::vector<NDArray> outputs;
    for (size_t i = 0; i < one.program.outputs.size(); ++i) {
      ir::BufferNode const& output = *one.program.outputs[i];
      TRY_ASSIGN(NDArray array, get_tensor(device, step.buffers[one.inputs.size() + i].tensor,
                                           output.type, *ir::constant_shape(output), {}));
      outputs.push_back(std::move(array));
    }
    return outputs;
  }
};

QTEST_GUILESS_MAIN(RandomTest)
#include "random_test.moc"
