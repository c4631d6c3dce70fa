// Convolutions by transformed tiles: schedules by rule of their parts, on a device, against the
// plain convolution.
#include <QtTest>

#include "engine/compile/optimize.h"
#include "engine/compile/plan.h"
#include "engine/graph/reference.h"
#include "engine/ir/interpreter.h"
#include "targets/opencl/compiler/opencl_backend.h"
#include "targets/opencl/hardware/description.h"
#include "targets/opencl/runtime/opencl_processor.h"
#include "tests/support/convolutions.h"
#include "tests/support/runtime_runs.h"

using namespace tw;

namespace {

constexpr uint64_t kSeed = 20261130;
constexpr int kCases = 20;
constexpr size_t kMostLines = 20;

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

testing::ConvolutionShape random_shape(Rng& rng) {
  testing::ConvolutionShape shape{rng.between(1, 3), rng.between(1, 37), 1, 1, rng.between(1, 37)};
  shape.pads = {rng.between(0, 2), rng.between(0, 2), rng.between(0, 2), rng.between(0, 2)};
  shape.rows = rng.between(std::max<int64_t>(1, 3 - shape.pads[0] - shape.pads[2]), 15);
  shape.columns = rng.between(std::max<int64_t>(1, 3 - shape.pads[1] - shape.pads[3]), 15);
  return shape;
}

}  // namespace

class WinogradTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    backend_ = opencl::create_opencl_backend(opencl::any_device()).value();
    auto device = opencl::find_device("");
    if (!device) QSKIP(qPrintable(QString::fromStdString(device.error().message)));
    processor_ = opencl::create_opencl_processor(*device, 1 << 26).value();
  }

  void nobody_gets_it_unasked_where_no_times_are_known() {
    Rng rng(kSeed);
    Graph graph = testing::convolution_graph({1, 64, 14, 14, 64}, rng);
    Decisions decisions;
    Graph made = optimize(graph, *backend_, decisions).value();
    QCOMPARE(made.groups.size(), size_t(1));
    QCOMPARE(decisions.knobs().size(), size_t(1));
    QCOMPARE(decisions.knobs()[0].values,
             (std::vector<std::string>{"direct", "im2col", "winograd_2x2", "winograd_4x4"}));
  }

  void whatever_is_asked_for_computes_the_same() {
    int transforms = 0, expected = 0;
    for (uint64_t seed = kSeed; seed < kSeed + kCases; ++seed) {
      Rng rng(seed);
      testing::ConvolutionShape shape = random_shape(rng);
      Graph graph = testing::convolution_graph(shape, rng);
      // A single tile has no loops to find it by, and no threads to share it.
      Shape result = *graph.value(graph.outputs[0]).shape();
      expected += 1 + (std::min(result[2], result[3]) > 4);
      std::string algorithm = rng.below(2) ? "winograd_2x2" : "winograd_4x4";
      Decisions decisions(Point{{"c.algorithm", algorithm}});
      Graph made = optimize(graph, *backend_, decisions).value();
      Plan plan = make_plan(made).value();
      QCOMPARE(plan.kernels.size(), size_t(3));
      std::vector<NDArray> inputs{ops::random_array(rng, *graph.value(graph.inputs[0]).shape())};
      auto wanted = reference_run(graph, inputs);
      auto actual = execute(made, plan, inputs,
                            [&](KernelTask const& task, auto const& given, auto& outputs) {
                              return run(task, given, outputs, transforms);
                            });
      std::string context = algorithm + ", seed " + std::to_string(seed) + ": ";
      QVERIFY2(wanted && actual, (context + sentence(actual)).c_str());
      QVERIFY2(compare((*actual)[0], (*wanted)[0], 1e-4, 1e-5).equal, context.c_str());
    }
    qInfo("%d convolutions, seeds from %llu, %d transforms with tiles in registers", kCases,
          static_cast<unsigned long long>(kSeed), transforms);
    QVERIFY(transforms >= expected && expected > kCases);
  }

private:
  /// By its schedule by rule.
  Status run(KernelTask const& task, std::vector<NDArray> const& inputs,
             std::vector<NDArray>& outputs, int& transforms) {
    TRY_ASSIGN(ir::Program program, te::to_program(task.kernel));
    TRY_ASSIGN(Schedule schedule, backend_->default_schedule(program));
    std::string script = schedule.script();
    bool in_registers = script.find("set_scope") != std::string::npos &&
                        script.find("threadIdx.x") != std::string::npos;
    if (task.name.starts_with("winograd")) transforms += in_registers;
    if (schedule.trace().size() > 25 ||
        (task.name.starts_with("winograd") && schedule.trace().size() > kMostLines))
      return refused("long", script);
    TRY_ASSIGN(std::vector<LoweredStage> stages,
               lower(schedule.program(), backend_->target(), backend_->passes(), {}));
    TRY_ASSIGN(Artifact code,
               backend_->generate(stages.back().kernel, CodeTier::kFull, CodeTexts::kNone, {}));
    TRY_ASSIGN(outputs, testing::run_on(*processor_, *backend_, program, code, inputs));
    return {};
  }

  std::shared_ptr<Backend const> backend_;
  std::unique_ptr<DeviceRuntime> processor_;
};

QTEST_GUILESS_MAIN(WinogradTest)
#include "winograd_test.moc"
