// A model file becomes one of bytes: what is told meanwhile, and what is left when it is stopped.
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <set>

#include "engine/samples/onnx_writer.h"
#include "engine/session/quantizing.h"
#include "engine/support/files.h"
#include "tests/support/line_models.h"

using namespace tw;
using namespace tw::session;
using tw::testing::model_of;

namespace {

QString sentence(auto const& result) {
  return result ? QString() : QString::fromStdString(to_sentence(result.error()));
}

NDArray filled(Shape const& shape, uint64_t seed) {
  Rng rng(seed);
  NDArray array = NDArray::create(DType::kF32, shape).value();
  for (float& v : array.as<float>()) v = float(rng.normal());
  return array;
}

/// Two convolutions and a relu.
ImportedModel small_model() {
  ImportedModel model = model_of({"c = Conv x w", "r = Relu c", "y = Conv r wy"}, {1, 8, 9, 9});
  model.graph.initializers = {{"w", filled({8, 8, 3, 3}, 1)}, {"wy", filled({8, 8, 1, 1}, 2)}};
  for (ForeignNode& node : model.graph.nodes) node.name = node.outputs[0];
  return model;
}

}  // namespace

class QuantizeTest : public QObject {
  Q_OBJECT
private slots:
  void init() { QVERIFY(folder_.isValid()); }

  void each_part_of_the_work_and_each_node_is_told() {
    QuantizeRequest request = request_for(small_model(), "told");
    std::vector<ProgressReport> told;
    auto report =
        quantize_to_file(request, {}, [&](ProgressReport const& at) { told.push_back(at); });
    QVERIFY2(report, qPrintable(sentence(report)));
    QVERIFY(told.size() > 10);
    QCOMPARE(told.front().what, "reading " + request.source);
    std::set<std::string> words;
    for (ProgressReport const& at : told) {
      words.insert(at.what);
      QVERIFY(at.total == 0 || (0 <= at.done && at.done < at.total));
    }
    for (char const* what :
         {"calibration, run 1 of 2: c", "calibration, run 2 of 2: y", "biases in floats: c",
          "comparison in floats, run 1 of 1: r", "comparison in integers, run 1 of 1: r/quantized"})
      if (!words.contains(what)) QFAIL(what);
  }

  /// Stopped wherever it tells where it is, it leaves no file and no folder of tests.
  void stopped_anywhere_it_leaves_nothing() {
    QuantizeRequest request = request_for(small_model(), "stopped");
    size_t reports = 0;
    auto counted = [&](ProgressReport const&) { ++reports; };
    QVERIFY(quantize_to_file(request, {}, counted));
    QVERIFY(std::filesystem::exists(request.out));
    std::filesystem::path tests = request.out.parent_path() / "test_data_set_0";
    QVERIFY(std::filesystem::exists(tests / "output_0.pb"));
    std::filesystem::remove(request.out);
    std::filesystem::remove_all(tests);
    for (size_t stopped_at = 1; stopped_at < reports; stopped_at += 3) {
      std::stop_source source;
      size_t at = 0;
      auto report = quantize_to_file(request, source.get_token(), [&](ProgressReport const&) {
        if (++at == stopped_at) source.request_stop();
      });
      QVERIFY2(!report, qPrintable(QString::number(stopped_at)));
      QCOMPARE(report.error().code, std::string("cancelled"));
      QVERIFY(!std::filesystem::exists(request.out) && !std::filesystem::exists(tests));
    }
  }

  /// What an older operator set cannot say is done in another way, and the report says why.
  void a_model_that_has_no_steps_for_channels_gets_one_step_with_the_reason() {
    ImportedModel model = small_model();
    model.opsets[""] = 11;
    QuantizeRequest request = request_for(model, "newer");
    auto report = quantize_to_file(request);
    QVERIFY2(report, qPrintable(sentence(report)));
    QCOMPARE(report->one_step_because, std::string());
    QVERIFY(has_steps_for_channels(*report));
    // A Softmax over all that lies behind the first axis.
    model.graph.nodes.push_back({"s", "Softmax", "", {"y"}, {"s"}, {{"axis", int64_t(1)}}});
    model.graph.outputs = {{"s", ForeignKind::kTensor, DType::kF32, std::nullopt}};
    request = request_for(model, "older");
    report = quantize_to_file(request);
    QVERIFY2(report, qPrintable(sentence(report)));
    QVERIFY2(report->one_step_because.find("Softmax") != std::string::npos,
             report->one_step_because.c_str());
    QVERIFY(!has_steps_for_channels(*report));
    QVERIFY(std::filesystem::exists(request.out));
  }

private:
  QuantizeRequest request_for(ImportedModel const& model, std::string const& name) {
    std::filesystem::path folder = folder_.filePath(QString::fromStdString(name)).toStdString();
    QuantizeRequest request;
    request.source = (folder / "floats.onnx").string();
    if (!write_output(request.source, write_onnx(model).value())) qFatal("no room for the model");
    request.out = folder / "bytes" / "model.onnx";
    request.runs = 2;
    request.with_tests = true;
    request.options.first = true;
    return request;
  }

  static bool has_steps_for_channels(QuantizeReport const& report) {
    return std::ranges::any_of(report.quantized.nodes, [](QuantizedNode const& node) {
      return node.weights && *node.finest_weights < *node.weights;
    });
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(QuantizeTest)
#include "quantize_test.moc"
