#include <QtTest>

#include <filesystem>

#include "engine/graph/reference.h"
#include "engine/importers/importer.h"
#include "engine/samples/samples.h"

using namespace tw;
namespace fs = std::filesystem;

namespace {

QString sentence(auto const& result) {
  return result ? QString() : QString::fromStdString(to_sentence(result.error()));
}

}  // namespace

class SamplesTest : public QObject {
  Q_OBJECT
private slots:
  /// Each with its count of nodes and of numbers that are trained or running statistics.
  void every_sample_is_written_and_opens_as_the_same_graph_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("nodes");
    QTest::addColumn<qint64>("numbers");
    QTest::newRow("resnet18") << "resnet18" << 69 << qint64(11'699'112);
    // Weights as published (4,231,976), and twice 10,944 channels of running statistics.
    QTest::newRow("mobilenet") << "mobilenet" << 84 << qint64(4'231'976 + 2 * 10'944);
    QTest::newRow("dqn") << "dqn" << 13 << qint64(1'693'362);
    QTest::newRow("dcgan") << "dcgan" << 15 << qint64(12'678'656);
    // Embedding and scores, and four gates of two products and two biases in each layer.
    QTest::newRow("lstm") << "lstm" << 7
                          << qint64(2 * 10'000 * 650 + 10'000 + 2 * 4 * 650 * (2 * 650 + 2));
  }
  void every_sample_is_written_and_opens_as_the_same_graph() {
    QFETCH(QString, name);
    QTemporaryDir folder;
    fs::path path = folder.filePath("model.onnx").toStdString();
    auto written = write_sample(name.toStdString(), path);
    QVERIFY2(written.has_value(), qPrintable(sentence(written)));
    auto from_file = open_model(path), built = open_sample(name.toStdString());
    QVERIFY2(from_file && built, qPrintable(sentence(from_file)));
    QCOMPARE(QString::fromStdString(to_text(*from_file)), QString::fromStdString(to_text(*built)));
    QTEST(int(built->nodes.size()), "nodes");
    qint64 numbers = 0;
    for (Value const& value : built->values)
      if (!value.constant.empty() && is_float(value.constant.type()))
        numbers += value.constant.size();
    QTEST(numbers, "numbers");
  }

  void the_same_seed_gives_the_same_weights_and_another_one_others() {
    ResNetOptions options;
    options.blocks = {1};
    options.width = 2;
    options.image = 8;
    std::string first = to_text(build_resnet(options));
    QCOMPARE(first, to_text(build_resnet(options)));
    options.seed = 19;
    QVERIFY(first != to_text(build_resnet(options)));
  }

  void what_cannot_be_written_is_one_sentence() {
    auto nowhere = write_sample("resnet18", "/proc/at/all/resnet18.onnx");
    QVERIFY(!nowhere && nowhere.error().fault == Fault::kEnvironment);
    QVERIFY2(sentence(nowhere).contains("/proc/at/all: the folder cannot be created"),
             qPrintable(sentence(nowhere)));
    QCOMPARE(
        sentence(write_sample("vgg", "x.onnx")),
        QString("there is no sample 'vgg'; the samples are resnet18, mobilenet, dqn, dcgan, lstm"));
  }

  void a_full_disk_is_one_sentence() {
    if (!fs::exists("/dev/full")) QSKIP("there is no /dev/full");
    auto full = write_sample("resnet18", "/dev/full");
    QVERIFY2(!full && !sentence(full).contains('\n'), "a full device takes nothing");
  }
};

QTEST_GUILESS_MAIN(SamplesTest)
#include "samples_test.moc"
