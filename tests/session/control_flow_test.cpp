// Models with graphs inside, from the file to the device: outputs, kernels, times, pictures.
#include <QtTest>

#include <fstream>

#include "app/shared/environment.h"
#include "engine/device/local_device.h"
#include "engine/device/logged_device.h"
#include "engine/samples/onnx_writer.h"
#include "engine/session/use_cases.h"
#include "engine/session/views/graph_picture.h"
#include "tests/support/body_models.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;
using namespace tw::testing;

namespace {

QString sentence(auto const& result) {
  return result ? QString() : QString::fromStdString(to_sentence(result.error()));
}

/// s = x + x; y = s * s or s, s; z = -y
ImportedModel choice(Lines const& otherwise) {
  ImportedModel model = model_of({"s = Add x x", "y = If c", "z = Neg y"}, {4}, {"z"});
  model.graph.nodes[1].attributes = {{"then_branch", body({"m = Mul s s"}, {"m"})},
                                     {"else_branch", body(otherwise, {"e"})}};
  model.graph.inputs.push_back(declared("c", DType::kBool, {}));
  return model;
}

}  // namespace

class ControlFlowTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    environment_ = make_environment().value();
    device_ = std::make_shared<LocalDevice>(LocalDeviceOptions{testing::built("/bin/tw-device")});
  }

  void both_branches_run_on_the_device_and_have_rows_of_their_own() {
    Model model = opened(choice({"e = Exp s"}));
    KernelTable table = kernel_table(*model);
    Lines names;
    for (KernelRow const& row : table.rows) names.push_back(row.name);
    QCOMPARE(names, (Lines{"add_4", "then_mul_4", "else_exp_4", "neg_4"}));
    for (bool c : {true, false}) {
      auto run = run_on(*model, {floats({0, 1, 2, 3}), numbers(DType::kBool, {}, {c ? 1. : 0.})});
      QVERIFY2(run.has_value(), qPrintable(sentence(run)));
      QCOMPARE(run->kernel_names.size(), size_t(4));  // times of both branches
      if (c) QCOMPARE(elements(run->outputs[0]), (std::vector<double>{0, -4, -16, -36}));
      if (!c) QVERIFY(std::abs(run->outputs[0].value_at(1) + 7.38906) < 1e-4);
    }
  }

  void values_whose_shape_the_run_decides_are_right() {
    Model model = opened(choice({"e = Concat s s"}));
    auto small = run_on(*model, {floats({0, 1, 2, 3}), numbers(DType::kBool, {}, {1})});
    auto large = run_on(*model, {floats({0, 1, 2, 3}), numbers(DType::kBool, {}, {0})});
    QVERIFY2(small && large, qPrintable(sentence(small) + sentence(large)));
    QCOMPARE(elements(small->outputs[0]), (std::vector<double>{0, -4, -16, -36}));
    QCOMPARE(elements(large->outputs[0]), (std::vector<double>{0, -2, -4, -6, 0, -2, -4, -6}));
    QCOMPARE(model_outputs(*model)[0].unknown, Lines{"rank"});
  }

  void a_branch_that_cannot_run_is_told_when_it_is_chosen() {
    Model model = opened(choice({"e = Mystery s"}));
    QCOMPARE(model_view(*model).opaque, 1);
    QVERIFY(run_on(*model, {floats({0, 1, 2, 3}), numbers(DType::kBool, {}, {1})}).has_value());
    QCOMPARE(sentence(run_on(*model, {floats({0, 1, 2, 3}), numbers(DType::kBool, {}, {0})})),
             QString("the branch that computes 'y' for these inputs cannot be run: the operator "
                     "Mystery is not supported"));
  }

  void a_loop_runs_its_body_on_the_device() {
    ImportedModel model = model_of({"s = Exp x", "y,rows = Loop most go x"}, {4}, {"y", "rows"});
    model.graph.nodes[1].attributes["body"] =
        body({"a2 = Add a s", "row = Neg a2", "next = Identity c"}, {"next", "a2", "row"},
             {declared("i", DType::kI64, {}), declared("c", DType::kBool, {}),
              declared("a", DType::kF32, {4})});
    model.graph.inputs.push_back(declared("most", DType::kI64, {}));
    model.graph.initializers["go"] = numbers(DType::kBool, {}, {1});
    Model loaded = opened(model);
    for (int rounds : {1, 3}) {
      auto run =
          run_on(*loaded, {floats({0, 0, 0, 0}), numbers(DType::kI64, {}, {double(rounds)})});
      QVERIFY2(run.has_value(), qPrintable(sentence(run)));
      QCOMPARE(run->outputs[0].value_at(0), double(rounds));
      QCOMPARE(run->outputs[1].shape(), Shape({rounds, 4}));
      QCOMPARE(run->outputs[1].value_at(rounds * 4 - 1), -double(rounds));
    }
  }

  void branches_over_kernels_are_one_call_of_the_device() {
    for (bool known : {true, false}) {  // the size of what the other branch makes
      Model model = opened(choice({known ? "e = Exp s" : "e = Concat s s"}));
      auto log = std::make_shared<DeviceLog>();
      LoggedDevice logged(device_, log);
      RunOptions options{.rounds = 1, .threads = 1};
      options.inputs = {floats({0, 1, 2, 3}), numbers(DType::kBool, {}, {1})};
      auto run = run_model(*model, options, *environment_.backend, logged);
      QVERIFY2(run.has_value(), qPrintable(sentence(run)));
      auto events = log->events();
      QCOMPARE(std::ranges::count(events, DeviceEvent::Kind::kRan, &DeviceEvent::kind) == 1, known);
    }
  }

  void bounds_that_the_run_computes_are_right() {
    ImportedModel model = model_of({"a = Add x x", "b = Slice a from to", "y = Neg b"}, {4});
    for (char const* name : {"from", "to"})
      model.graph.inputs.push_back(declared(name, DType::kI64, {1}));
    Model loaded = opened(model);
    QCOMPARE(model_view(*loaded).opaque, 0);
    auto run = run_on(*loaded, {floats({0, 1, 2, 3}), numbers(DType::kI64, {1}, {1}),
                                numbers(DType::kI64, {1}, {3})});
    QVERIFY2(run.has_value(), qPrintable(sentence(run)));
    QCOMPARE(elements(run->outputs[0]), (std::vector<double>{-2, -4}));
    auto wrong = run_on(*loaded, {floats({0, 1, 2, 3}), numbers(DType::kI64, {1}, {2}),
                                  numbers(DType::kI64, {1}, {1})});
    QVERIFY(wrong.has_value());  // no element: as in numpy
    QCOMPARE(wrong->outputs[0].shape(), Shape({0}));
  }

  void the_picture_shows_graphs_inside_between_their_readers_and_their_node() {
    Model model = opened(choice({"e = Exp s"}));
    GraphView view = graph_view(*model);
    auto named = [&](std::string const& name) {
      for (GraphNodeView const& node : view.nodes)
        if (node.name == name) return node.id;
      return -2;
    };
    int outer = named("s"), inside = named("y/then/m"), choice_node = named("y");
    QVERIFY(outer >= 0 && inside >= 0 && choice_node >= 0 && named("y/else/e") >= 0);
    auto leads = [&](int from, int to) {
      for (GraphEdgeView const& edge : view.edges)
        if (edge.from == from && edge.to == to) return true;
      return false;
    };
    QVERIFY(leads(outer, inside) && leads(inside, choice_node) && !leads(outer, choice_node));
    for (size_t i = 0; i < view.nodes.size(); ++i) QCOMPARE(view.nodes[i].id, int(i));
    for (GraphGroupView const& group : view.groups)
      for (int id : group.nodes) QCOMPARE(view.nodes[size_t(id)].group, group.id);
    QVERIFY(graph_svg(view, kernel_table(*model), {}).find("then_mul_4") != std::string::npos);
  }

private:
  Model opened(ImportedModel const& model) {
    std::string path = folder_.filePath("model_of_a_test.onnx").toStdString();
    std::ofstream(path, std::ios::binary) << write_onnx(model).value();
    return load_model(path, {}, *environment_.backend).value();
  }

  Result<RunResult> run_on(LoadedModel const& model, std::vector<NDArray> const& inputs) {
    RunOptions options;
    options.rounds = 2;
    options.threads = 1;
    options.inputs = inputs;
    return run_model(model, options, *environment_.backend, *device_);
  }

  QTemporaryDir folder_;
  Environment environment_;
  std::shared_ptr<Device> device_;
};

QTEST_GUILESS_MAIN(ControlFlowTest)
#include "control_flow_test.moc"
