// Networks of bytes in the layouts of a processor with blocks of images and channels.
#include <QtTest>

#include <algorithm>
#include <cstring>

#include "engine/compile/plan.h"
#include "engine/graph/pipeline.h"
#include "engine/graph/quantization/quantization.h"
#include "engine/graph/reference.h"
#include "engine/importers/from_foreign.h"
#include "engine/ir/interpreter.h"
#include "engine/samples/samples.h"

using namespace tw;

namespace {

constexpr uint64_t kSeed = 99;

Status interpret_kernel(KernelTask const& task, std::vector<NDArray> const& inputs,
                        std::vector<NDArray>& outputs) {
  TRY_ASSIGN(ir::Program program, te::to_program(task.kernel));
  TRY_ASSIGN(outputs, ir::interpret(program, inputs));
  return {};
}

std::vector<NDArray> random_inputs(Graph const& graph, uint64_t seed) {
  Rng rng(seed);
  std::vector<NDArray> inputs;
  for (ValueId id : graph.inputs) {
    inputs.push_back(NDArray::create(DType::kF32, *graph.value(id).shape()).value());
    for (float& v : inputs.back().as<float>()) v = float(rng.normal());
  }
  return inputs;
}

bool holds_integers(Graph const& graph, ValueId id) {
  Value const& value = graph.value(id);
  auto shape = value.shape();
  return value.type.dtype && is_integer(*value.type.dtype) && shape && shape->size() == 4;
}

/// All that is computed in integers in the layout `image`, weights in `weights`; bytes that floats
/// make are changed before, and those that floats read behind.
GraphChoices in_blocks(Graph const& graph, std::string const& image, std::string const& weights) {
  Layout data = Layout::parse(image).value(), parameters = Layout::parse(weights).value();
  GraphChoices choices;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node const& node = graph.nodes[i];
    if (node.type == "quantize_linear" || !holds_integers(graph, node.outputs[0])) continue;
    choices.values[node.outputs[0]] = data;
    for (size_t k = 0; k < node.inputs.size(); ++k)
      choices.operands[{{int32_t(i)}, k}] =
          node.type == "conv_integer" && k == 1 ? parameters : data;
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].type == "dequantize_linear") choices.operands[{{int32_t(i)}, 0}] = Layout();
  return choices;
}

/// A small residual network with a batch of four, quantized.
Graph quantized_network(bool first, CalibrationData& data) {
  ImportedModel model = build_resnet(
      {.name = "small", .blocks = {1, 1}, .width = 4, .image = 17, .classes = 5, .seed = kSeed});
  for (ForeignValue* value : {&model.graph.inputs[0], &model.graph.outputs[0]})
    (*value->dims)[0].extent = 4;
  Graph graph = build_graph(model).value();
  data = {{random_inputs(graph, kSeed)}, {random_inputs(graph, kSeed + 1)}};
  QuantizeOptions options;
  options.first = first;
  return quantize(graph, data, options).value().graph;
}

}  // namespace

class QuantizedTest : public QObject {
  Q_OBJECT
private slots:
  void kernels_in_blocks_compute_every_bit_of_the_reference_data() {
    QTest::addColumn<QString>("image");
    QTest::addColumn<QString>("weights");
    QTest::newRow("plain") << ""
                           << "";
    QTest::newRow("channels") << "ABCD4b"
                              << "ABCD4a4b";
    QTest::newRow("images and channels") << "ABCD4a4b"
                                         << "ABCD4a4b";
    QTest::newRow("other blocks") << "ABCD2a4b"
                                  << "ABCD4a4b";
  }
  void kernels_in_blocks_compute_every_bit_of_the_reference() {
    QFETCH(QString, image);
    QFETCH(QString, weights);
    for (bool first : {false, true}) {
      CalibrationData data;
      Graph graph = quantized_network(first, data);
      LayoutChooser choose;
      if (!image.isEmpty())
        choose = [&](Graph const& one) {
          return in_blocks(one, image.toStdString(), weights.toStdString());
        };
      auto made = optimize(graph, choose);
      QVERIFY2(made, made ? "" : to_sentence(made.error()).c_str());
      Graph const& fused = *made;
      int blocked = 0, kernels = 0;
      for (Group const& group : fused.groups) {
        Node const& anchor = fused.node(group.anchor);
        if (anchor.type != "conv_integer") continue;
        ++kernels;
        blocked += !fused.value(anchor.outputs[0]).layout.is_plain();
        QCOMPARE(fused.node(group.nodes.back()).type, std::string("requantize"));
      }
      QVERIFY(kernels >= 5);
      QCOMPARE(blocked, image.isEmpty() ? 0 : kernels);
      auto plan = make_plan(fused);
      QVERIFY2(plan, plan ? "" : to_sentence(plan.error()).c_str());
      std::vector<NDArray> inputs = data.checks[0];
      auto expected = reference_run(graph, inputs),
           actual = execute(fused, *plan, inputs, interpret_kernel);
      QVERIFY2(expected && actual, actual ? "" : to_sentence(actual.error()).c_str());
      // The float layers around sum in the order of the reference, or another.
      QVERIFY(compare((*actual)[0], (*expected)[0], 1e-4, 1e-5).equal);
    }
  }
};

QTEST_GUILESS_MAIN(QuantizedTest)
#include "quantized_test.moc"
