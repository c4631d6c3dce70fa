// Trained networks with all their convolutions and dense layers in bytes: how near they stay to
// floats, beside what another quantizer reaches.
#include <QtTest>

#include <algorithm>
#include <filesystem>

#include "engine/session/quantizing.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;

namespace {

/// Signal to noise of each output in dB as ONNX Runtime 1.32.0 reaches it by `quantize_static`
/// (steps of any size, data with a zero point): bytes with a sign and weights per channel, and its
/// defaults. Calibrated on all sets of test data but the last, compared on that; where there is
/// one, on it.
struct CompiledModel {
  char const* name;
  std::map<std::string, Shape> fixes;
  std::vector<double> per_channel, by_default;
};

std::vector<CompiledModel> const& networks() {
  static std::vector<CompiledModel> const all{
      {"blazeface_front_128", {}, {29.2, 11.9, 24.8, 21.4}, {21.2, 8.6, 19.9, 17.6}},
      {"blazeface_back_256", {}, {18.7, 14.7, 17.8, 21.2}, {9.4, 6.7, 10.7, 17.3}},
      {"mlsd_320_tiny", {}, {10.6, 0.9}, {-1.6, -1.6}},
      {"oww_embedding", {}, {25.8}, {23.8}},
      {"ppocr_cls", {{"x", {1, 3, 48, 192}}}, {48.1}, {48.1}},
  };
  return all;
}

std::filesystem::path folder_of(std::string const& name) {
  return std::filesystem::path(testing::shared_models()) / "real" / name;
}

std::vector<double> decibels_of(CompiledModel const& network, bool unsigned_data,
                                bool one_step = false) {
  QuantizeRequest request;
  request.data = folder_of(network.name);
  request.source = (request.data / "model.onnx").string();
  request.fixes = network.fixes;
  request.options.first = request.options.dense = request.options.depthwise = true;
  request.options.unsigned_data = unsigned_data;
  request.options.one_weight_step = one_step;
  auto report = quantize_to_file(request);
  if (!report) qFatal("%s", to_sentence(report.error()).c_str());
  std::vector<double> decibels;
  for (OutputNoise const& output : report->quantized.outputs) decibels.push_back(output.decibels);
  return decibels;
}

QString text_of(std::vector<double> const& decibels) {
  QStringList all;
  for (double one : decibels) all << QString::number(one, 'f', 1);
  return all.join("  ");
}

}  // namespace

class QuantizedNetworksSlowTest : public QObject {
  Q_OBJECT
private slots:
  void bytes_are_as_near_to_floats_as_those_of_another_quantizer_data() {
    QTest::addColumn<int>("place");
    for (size_t i = 0; i < networks().size(); ++i) QTest::newRow(networks()[i].name) << int(i);
  }
  void bytes_are_as_near_to_floats_as_those_of_another_quantizer() {
    QFETCH(int, place);
    CompiledModel const& network = networks()[size_t(place)];
    if (!std::filesystem::exists(folder_of(network.name))) QSKIP("the network is not here");
    std::vector<double> bytes = decibels_of(network, true), with_sign = decibels_of(network, false);
    qInfo("u8 where data is never negative  %s", qPrintable(text_of(bytes)));
    qInfo("i8                               %s", qPrintable(text_of(with_sign)));
    qInfo("i8, one step for all weights     %s",
          qPrintable(text_of(decibels_of(network, false, true))));
    qInfo("ONNX Runtime, per channel        %s", qPrintable(text_of(network.per_channel)));
    qInfo("ONNX Runtime, defaults           %s", qPrintable(text_of(network.by_default)));
    QCOMPARE(bytes.size(), network.per_channel.size());
    for (size_t i = 0; i < bytes.size(); ++i) {
      QVERIFY2(bytes[i] >= network.per_channel[i], qPrintable(QString("output %1").arg(i)));
      QVERIFY2(with_sign[i] >= network.by_default[i], qPrintable(QString("output %1").arg(i)));
    }
  }
};

QTEST_GUILESS_MAIN(QuantizedNetworksSlowTest)
#include "quantized_networks_slow_test.moc"
