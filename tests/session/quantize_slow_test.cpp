// ResNet-18 in bytes, compiled for this machine: every bit of what the integer operators'
// references make, and what the bytes cost against floats.
#include <QtTest>

#include <QTemporaryDir>

#include <algorithm>
#include <array>
#include <cstring>

#include "app/shared/environment.h"
#include "engine/compile/plan.h"
#include "engine/device/local_device.h"
#include "engine/execute/compiled_model.h"
#include "engine/graph/passes.h"
#include "engine/graph/pipeline.h"
#include "engine/graph/reference.h"
#include "engine/session/quantizing.h"
#include "engine/session/use_cases.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;

namespace {

constexpr double kLeastDecibels = 20;

QString sentence(auto const& result) {
  return result ? QString() : QString::fromStdString(to_sentence(result.error()));
}

/// From the bytes that floats make to the last bytes that they read.
Graph integer_part(Graph const& quantized) {
  Graph graph = lower_quantized().apply(quantized).value();
  graph = fold_constants().apply(graph).value();
  graph.inputs.clear();
  graph.outputs.clear();
  for (Node const& node : graph.nodes) {
    if (node.type == "quantize_linear") graph.inputs.push_back(node.outputs[0]);
    if (node.type == "dequantize_linear") graph.outputs.push_back(node.inputs[0]);
  }
  // What floats compute around the bytes is nobody's any more, or has no input.
  constexpr std::array<std::string_view, 6> kIntegers{"conv_integer", "add",         "widen",
                                                      "requantize",   "shift_right", "max_pool"};
  std::erase_if(graph.nodes, [&](Node const& node) {
    auto type = graph.value(node.outputs[0]).type.dtype;
    return std::ranges::count(kIntegers, node.type) == 0 || !type || !is_integer(*type);
  });
  return graph;
}

}  // namespace

class QuantizeSlowTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    environment_ = make_environment().value();
    device_ = std::make_shared<LocalDevice>(LocalDeviceOptions{testing::built("/bin/tw-device")});
  }

  void what_lies_between_two_layers_of_floats_is_exact_on_this_machine() {
    QuantizeRequest request;
    request.source = "sample:resnet18";
    request.runs = 2;
    auto report = quantize_to_file(request);
    QVERIFY2(report, qPrintable(sentence(report)));
    double decibels = report->quantized.outputs[0].decibels;
    qInfo("ResNet-18, first and dense layer in floats: %.1f dB", decibels);
    QVERIFY(decibels >= kLeastDecibels);
    Graph graph = optimize(integer_part(report->quantized.graph)).value();
    QCOMPARE(std::ranges::count(graph.nodes, std::string("conv_integer"), &Node::type), 19);
    Plan plan = make_plan(graph).value();
    CompiledModelOptions options;
    options.threads = 2;
    auto network = CompiledModel::create(graph, plan, *environment_.backend, *device_, options);
    QVERIFY2(network, qPrintable(sentence(network)));
    Rng rng(5);
    for (int round = 0; round < 3; ++round) {
      std::vector<NDArray> inputs;
      for (ValueId id : graph.inputs) {
        inputs.push_back(NDArray::create(DType::kI8, *graph.value(id).shape()).value());
        for (int8_t& v : inputs.back().as<int8_t>()) v = int8_t(rng.between(-128, 127));
      }
      auto expected = reference_run(graph, inputs), actual = (*network)->run(inputs);
      QVERIFY2(expected && actual, qPrintable(sentence(actual)));
      for (size_t i = 0; i < expected->size(); ++i)
        QVERIFY(std::memcmp((*expected)[i].data(), (*actual)[i].data(),
                            size_t((*expected)[i].byte_size())) == 0);
    }
  }

  void a_whole_network_in_bytes_is_exact_from_the_file_to_the_output() {
    QuantizeRequest request;
    request.source = "sample:resnet18";
    request.runs = 2;
    request.options.first = request.options.dense = true;
    request.out = folder_.filePath("model.onnx").toStdString();
    request.with_tests = true;
    auto report = quantize_to_file(request);
    QVERIFY2(report, qPrintable(sentence(report)));
    double decibels = report->quantized.outputs[0].decibels;
    qInfo("ResNet-18, all convolutions and the dense layer in bytes: %.1f dB", decibels);
    QVERIFY(decibels >= kLeastDecibels);
    auto sets = verify_folder(folder_.path().toStdString(), *environment_.backend, *device_,
                              {.threads = 2});
    QCOMPARE(sets.size(), size_t(1));
    QVERIFY2(sets[0].outcome == VerifiedSet::Outcome::kPassed, sets[0].reason.c_str());
    QCOMPARE(sets[0].max_abs_diff, 0.0);
  }

private:
  QTemporaryDir folder_;
  Environment environment_;
  std::shared_ptr<Device> device_;
};

QTEST_GUILESS_MAIN(QuantizeSlowTest)
#include "quantize_slow_test.moc"
