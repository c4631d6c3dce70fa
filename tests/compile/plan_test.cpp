#include <QtTest>

#include <filesystem>
#include <set>

#include "engine/compile/cut.h"
#include "engine/compile/optimize.h"
#include "engine/compile/plan.h"
#include "engine/graph/pipeline.h"
#include "engine/importers/from_foreign.h"
#include "engine/importers/importer.h"
#include "engine/ir/interpreter.h"
#include "engine/samples/samples.h"
#include "tests/support/figures.h"
#include "tests/support/line_models.h"
#include "tests/support/paths.h"

using namespace tw;
namespace fs = std::filesystem;

namespace {

std::string sentence(auto const& result) { return result ? "" : to_sentence(result.error()); }

NDArray random_array(Shape const& shape, uint64_t seed) {
  NDArray array = NDArray::create(DType::kF32, shape).value();
  Rng rng(seed);
  for (float& v : array.as<float>()) v = float(rng.normal());
  return array;
}

/// Every kernel by the interpreter of its plain program.
Status interpret_kernel(KernelTask const& task, std::vector<NDArray> const& inputs,
                        std::vector<NDArray>& outputs) {
  TRY_ASSIGN(ir::Program program, te::to_program(task.kernel));
  TRY_ASSIGN(outputs, ir::interpret(program, inputs));
  return {};
}

ResNetOptions small_resnet() {
  ResNetOptions options{.name = "small", .blocks = {1, 1}, .width = 4, .image = 17, .classes = 5};
  return options;
}

}  // namespace

class PlanTest : public QObject {
  Q_OBJECT
private slots:
  void the_kernels_of_a_residual_network_compute_what_the_references_do() {
    auto graph = build_graph(build_resnet(small_resnet()));
    QVERIFY2(graph.has_value(), sentence(graph).c_str());
    auto fused = optimize(*graph);
    QVERIFY2(fused.has_value(), sentence(fused).c_str());
    auto plan = make_plan(*fused);
    QVERIFY2(plan.has_value(), sentence(plan).c_str());
    for (PlanStep const& step : plan->steps) QCOMPARE(step.kind, StepKind::kKernel);
    std::vector<NDArray> inputs{random_array({1, 3, 17, 17}, 3)};
    auto expected = reference_run(*graph, inputs);
    auto simplified = reference_run(*fused, inputs);
    auto actual = execute(*fused, *plan, inputs, interpret_kernel);
    QVERIFY2(expected && simplified, (sentence(expected) + sentence(simplified)).c_str());
    QVERIFY2(actual.has_value(), sentence(actual).c_str());
    QVERIFY(compare((*simplified)[0], (*expected)[0], 1e-4).equal);
    QVERIFY(compare((*actual)[0], (*expected)[0], 1e-4).equal);
  }

  void each_kernel_agrees_with_the_references_of_its_operators() {
    Graph fused = optimize(build_graph(build_resnet(small_resnet())).value()).value();
    Plan plan = make_plan(fused).value();
    for (PlanStep const& step : plan.steps) {
      KernelTask const& task = plan.kernels[size_t(step.kernel)];
      std::vector<NDArray> inputs, actual;
      for (te::Buffer const& buffer : task.kernel.inputs)
        inputs.push_back(random_array(*ir::constant_shape(*buffer), inputs.size() + 1));
      auto expected = reference_of(fused, step, inputs);
      QVERIFY2(expected.has_value(), sentence(expected).c_str());
      QVERIFY(interpret_kernel(task, inputs, actual).has_value());
      QVERIFY2(compare(actual[0], (*expected)[0], 1e-4).equal, task.name.c_str());
    }
    QVERIFY(!reference_of(fused, plan.steps[0], {}).has_value());
  }

  void taps_that_only_meet_padding_are_left_out() {
    ImportedModel model = testing::model_of({"y = Conv x w"}, {1, 3, 1, 5});
    NDArray weights = NDArray::create(DType::kF32, {4, 3, 3, 3}).value();
    std::ranges::fill(weights.as<float>(), 1.0f);
    model.graph.initializers["w"] = weights;
    model.graph.nodes[0].attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
    Plan plan = make_plan(optimize(build_graph(model).value()).value()).value();
    QCOMPARE(plan.kernels.size(), size_t(1));
    // One row of three, and of 5 windows of 3 columns 13 taps.
    QCOMPARE(plan.kernels[0].flops, int64_t(2) * 4 * 3 * 13);
    std::string text = te::to_text(plan.kernels[0].kernel);
    QVERIFY2(text.find("r in 1 ") != std::string::npos, text.c_str());
    QVERIFY2(text.find("r+1") != std::string::npos, text.c_str());
  }

  void resnet18_becomes_few_kernels_with_readable_names() {
    auto graph = open_sample("resnet18");
    QVERIFY2(graph.has_value(), sentence(graph).c_str());
    auto fused = optimize(*graph);
    auto plan = make_plan(*fused);
    QVERIFY2(plan.has_value(), sentence(plan).c_str());
    std::set<std::string> names;
    int64_t flops = 0, groups = 0;
    for (KernelTask const& task : plan->kernels) {
      QVERIFY2(names.insert(task.name).second, task.name.c_str());
      QVERIFY(te::parse_kernel(te::to_text(task.kernel)).has_value());
      flops += task.flops * task.count;
      groups += task.count;
    }
    QCOMPARE(groups, int64_t(plan->steps.size()));
    QVERIFY(names.count("conv2d_64x56x56_3x3"));
    QVERIFY(plan->kernels.size() < plan->steps.size());
    QVERIFY(flops > 3.3e9 && flops < 3.4e9);  // without products with padding
  }

  void tensors_that_live_together_do_not_share_memory() {
    auto graph = open_sample("resnet18");
    auto fused = optimize(*graph);
    MemoryPlan plan = plan_memory(*fused);
    for (Allocation const& a : plan.allocations) {
      QVERIFY(a.offset % 64 == 0 && a.offset + a.bytes <= plan.arena_bytes);
      for (Allocation const& b : plan.allocations) {
        bool together = a.value != b.value && a.first <= b.last && b.first <= a.last;
        QVERIFY(!together || a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
      }
    }
    QVERIFY(plan.arena_bytes * 2 < plan.unplanned_bytes);
  }

  /// Of those, one that begins later may end before another one.
  void a_tensor_lies_behind_all_that_live_with_it() {
    std::vector<Allocation> open{
        {{0}, 0, 192, 0, 1}, {{1}, 0, 64, 2, 3}, {{2}, 0, 64, 2, 3}, {{3}, 0, 64, 0, 3}};
    MemoryPlan plan = arrange(open, 4);
    QCOMPARE(plan.find({2})->offset, int64_t(64));
    QCOMPARE(plan.find({3})->offset, int64_t(192));
    QCOMPARE(plan.arena_bytes, int64_t(256));
  }

  /// The last who reads it here is not the last who needs it.
  void what_goes_to_another_place_lives_until_it_is_copied() {
    Graph graph = optimize(build_graph(testing::model_of({"a = MatMul x x", "b = MatMul a x",
                                                          "c = MatMul b x", "y = MatMul c a"},
                                                         {8, 8}))
                               .value())
                      .value();
    Cut cut = parse_cut({"y@there"}, "here").value();
    Plan plan = cut_plan(graph, make_plan(graph).value(), cut).value();
    int copies = 0;
    for (size_t s = 0; s < plan.steps.size(); ++s) {
      PlanStep const& step = plan.steps[s];
      if (step.kind != StepKind::kCopy || step.from != 0) continue;
      Allocation const* made = plan.memory.find(step.inputs[0]);
      QVERIFY(made && made->last >= int(s));
      ++copies;
    }
    QCOMPARE(copies, 2);
  }

  void the_reference_of_resnet18_is_sane_and_takes_seconds() {
    auto graph = open_sample("resnet18");
    QElapsedTimer timer;
    timer.start();
    auto outputs = reference_run(*graph, {random_array({1, 3, 224, 224}, 1)});
    QVERIFY2(outputs.has_value(), sentence(outputs).c_str());
    double largest = compare((*outputs)[0], (*outputs)[0]).max_abs_ref;
    qInfo("reference run %lld ms, largest output %g", static_cast<long long>(timer.elapsed()),
          largest);
    QVERIFY(largest > 0.1 && largest < 100);
    QVERIFY(testing::is_bearable("a plan of a large model", double(timer.elapsed()), 60'000));
  }

  void the_kernels_of_real_models_are_all_kernels() {
    for (char const* model : {"blazeface_front_128", "blazeface_back_256"}) {
      fs::path path = fs::path(testing::shared_models()) / "real" / model / "model.onnx";
      if (!fs::exists(path))
        QSKIP(qPrintable(QString("the shared models are not at %1").arg(testing::shared_models())));
      auto graph = open_model(path);
      auto fused = optimize(*graph);
      QVERIFY2(fused.has_value(), sentence(fused).c_str());
      auto plan = make_plan(*fused);
      QVERIFY2(plan.has_value(), sentence(plan).c_str());
      for (PlanStep const& step : plan->steps)
        QVERIFY2(step.kind == StepKind::kKernel, step.reason.c_str());
    }
  }

  void a_model_with_open_extents_runs_by_its_references() {
    ImportedModel model = build_resnet(small_resnet());
    (*model.graph.inputs[0].dims)[0] = {std::nullopt, "N"};
    auto graph = build_graph(model);
    auto fused = optimize(*graph);
    QVERIFY2(fused.has_value(), sentence(fused).c_str());
    auto plan = make_plan(*fused);
    QVERIFY2(plan.has_value(), sentence(plan).c_str());
    for (PlanStep const& step : plan->steps)
      QVERIFY(step.kind == StepKind::kReference && !step.reason.empty());
    auto outputs = execute(*fused, *plan, {random_array({2, 3, 17, 17}, 3)}, interpret_kernel);
    QVERIFY2(outputs.has_value(), sentence(outputs).c_str());
    QCOMPARE((*outputs)[0].shape(), Shape({2, 5}));
  }

  void a_node_that_nothing_knows_leaves_the_rest_runnable() {
    ImportedModel model = build_resnet(small_resnet());
    model.graph.nodes.back().op_type = "Mystery";
    auto graph = build_graph(model);
    QVERIFY2(graph.has_value(), sentence(graph).c_str());
    auto fused = optimize(*graph);
    auto plan = make_plan(*fused);
    QVERIFY2(plan.has_value(), sentence(plan).c_str());
    QCOMPARE(plan->steps.back().kind, StepKind::kOpaque);
    QVERIFY(plan->kernels.size() > 5);
    auto run = execute(*fused, *plan, {random_array({1, 3, 17, 17}, 3)}, interpret_kernel);
    QCOMPARE(QString::fromStdString(sentence(run)),
             QString("node fc: the operator Mystery is not supported"));
  }
};

QTEST_GUILESS_MAIN(PlanTest)
#include "plan_test.moc"
