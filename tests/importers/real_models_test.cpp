#include <QtTest>

#include <filesystem>

#include "engine/graph/reference.h"
#include "engine/importers/importer.h"
#include "tests/importers/tensor_files.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::testing;
namespace fs = std::filesystem;

class RealModelsTest : public QObject {
  Q_OBJECT
private slots:
  void the_reference_agrees_with_the_expected_outputs_data() {
    QTest::addColumn<QString>("model");
    QTest::newRow("blazeface_front_128") << "blazeface_front_128";
    QTest::newRow("blazeface_back_256") << "blazeface_back_256";
  }
  void the_reference_agrees_with_the_expected_outputs() {
    QFETCH(QString, model);
    fs::path folder = fs::path(testing::shared_models()) / "real" / model.toStdString();
    if (!fs::exists(folder))
      QSKIP(qPrintable(QString("the shared models are not at %1").arg(testing::shared_models())));
    auto graph = open_model(folder / "model.onnx");
    QVERIFY2(graph.has_value(), graph ? "" : to_sentence(graph.error()).c_str());
    QVERIFY2(graph->notes.empty(), graph->notes.empty() ? "" : graph->notes[0].c_str());
    int sets = 0;
    for (auto const& entry : fs::directory_iterator(folder)) {
      if (!entry.is_directory()) continue;
      auto inputs = load(entry.path(), "input"), expected = load(entry.path(), "output");
      QVERIFY(inputs && expected);
      auto outputs = reference_run(*graph, *inputs);
      QVERIFY2(outputs.has_value(), outputs ? "" : to_sentence(outputs.error()).c_str());
      QCOMPARE(outputs->size(), expected->size());
      for (size_t i = 0; i < outputs->size(); ++i) {
        QCOMPARE((*outputs)[i].shape(), (*expected)[i].shape());
        Comparison comparison = compare((*outputs)[i], (*expected)[i]);
        QVERIFY2(comparison.equal, qPrintable(QString("output %1 differs by %2 (largest %3)")
                                                  .arg(i)
                                                  .arg(comparison.max_abs_diff)
                                                  .arg(comparison.max_abs_ref)));
      }
      ++sets;
    }
    QVERIFY(sets > 0);
  }
};

QTEST_GUILESS_MAIN(RealModelsTest)
#include "real_models_test.moc"
