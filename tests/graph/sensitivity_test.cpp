// How far outputs move when floats move by a rounding: little in a model of floats, by steps where
// floats become integers.
#include <QtTest>

#include "engine/graph/quantization/quantization.h"
#include "engine/graph/sensitivity.h"
#include "engine/importers/from_foreign.h"
#include "engine/samples/samples.h"
#include "tests/support/line_models.h"

using namespace tw;

namespace {

std::vector<NDArray> inputs_of(Graph const& graph, uint64_t seed) {
  Rng rng(seed);
  std::vector<NDArray> inputs;
  for (ValueId id : graph.inputs) {
    inputs.push_back(NDArray::create(DType::kF32, *graph.value(id).shape()).value());
    for (float& v : inputs.back().as<float>()) v = float(rng.normal());
  }
  return inputs;
}

double sensitivity_at(Graph const& graph, std::vector<NDArray> const& inputs) {
  auto outputs = reference_run(graph, inputs);
  if (!outputs) qFatal("%s", outputs.error().message.c_str());
  return sensitivity(graph, inputs, *outputs).value();
}

}  // namespace

class SensitivityTest : public QObject {
  Q_OBJECT
private slots:
  void floats_move_little_and_bytes_by_steps() {
    Graph floats =
        build_graph(
            build_resnet(
                {.name = "small", .blocks = {1, 1}, .width = 32, .image = 161, .classes = 5}))
            .value();
    QVERIFY(!has_steps(floats));
    Graph bytes =
        quantize(floats, {.runs = {inputs_of(floats, 1)}, .checks = {inputs_of(floats, 2)}})->graph;
    QVERIFY(has_steps(bytes));
    double of_floats = 0, of_bytes = 0;
    for (uint64_t seed = 3; seed < 6; ++seed) {
      of_floats = std::max(of_floats, sensitivity_at(floats, inputs_of(floats, seed)));
      of_bytes = std::max(of_bytes, sensitivity_at(bytes, inputs_of(bytes, seed)));
    }
    qInfo("by a millionth: floats %.3g, bytes %.3g of the largest output", of_floats, of_bytes);
    QVERIFY(of_floats > 0 && of_floats < 1e-4);
    QVERIFY(of_bytes > of_floats && of_bytes < 0.2);
  }

  /// Where no input is a float, the constants are moved.
  void without_inputs_of_floats_the_constants_move() {
    Graph graph = build_graph(testing::model_of({"a = Sigmoid x", "y = Mul a a"}, {64})).value();
    std::vector<NDArray> inputs = inputs_of(graph, 1);
    auto outputs = reference_run(graph, inputs);
    QVERIFY(outputs);
    graph.value(graph.inputs[0]).constant = inputs[0];
    graph.inputs.clear();
    auto found = sensitivity(graph, {}, *outputs);
    QVERIFY(found);
    QVERIFY2(*found > 1e-8 && *found < 1e-5, std::to_string(*found).c_str());
  }
};

QTEST_GUILESS_MAIN(SensitivityTest)
#include "sensitivity_test.moc"
