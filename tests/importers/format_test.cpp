// A model is known by its bytes, not by its name.
#include <QtTest>
#include <fstream>
#include <set>

#include "engine/importers/importer.h"
#include "engine/importers/model_format.h"
#include "engine/importers/onnx/recognise.h"
#include "engine/samples/onnx_writer.h"
#include "engine/samples/samples.h"

using namespace tw;

class FormatTest : public QObject {
  Q_OBJECT
private slots:
  void the_table_holds_the_folders() {
    std::set<std::string> names, extensions;
    for (ModelFormat const* format : format_table()) {
      QVERIFY(names.insert(format->name).second);
      QVERIFY(extensions.insert(format->extension).second);
    }
    QVERIFY(names.contains("ONNX"));
  }

  void a_model_opens_whatever_its_name_data() {
    QTest::addColumn<QString>("name");
    for (char const* name : {"model.onnx", "model.bin", "model", "model.onnx.txt"})
      QTest::newRow(name) << name;
  }
  void a_model_opens_whatever_its_name() {
    QFETCH(QString, name);
    QTemporaryDir folder;
    std::string path = folder.filePath(name).toStdString();
    std::ofstream(path, std::ios::binary) << model();
    auto graph = open_model(path);
    QVERIFY2(graph, graph ? "" : graph.error().message.c_str());
    QVERIFY(!graph->nodes.empty());
  }

  void a_damaged_model_is_told_as_one() {
    QTemporaryDir folder;
    for (char const* name : {"cut.onnx", "cut.bin"}) {
      std::string path = folder.filePath(name).toStdString();
      std::ofstream(path, std::ios::binary) << model().substr(0, 2000);
      auto graph = open_model(path);
      QVERIFY(!graph);
      QCOMPARE(graph.error().code, std::string("not_onnx"));
    }
  }

  void other_files_are_no_models_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("words") << QByteArray("tilewright te 1\nkernel f(X: f32[4]) -> Y\n");
    QTest::newRow("a picture") << QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    QTest::newRow("a program") << QByteArray(
        "\x7f"
        "ELF\x02\x01\x01\0\0\0\0\0",
        12);
    QTest::newRow("a stored tensor") << QByteArray("\x08\x02\x10\x01\x4a\x08\0\0\0\0\0\0\0\0", 14);
    QTest::newRow("a length beyond the end") << QByteArray(
        "\x08\x08\x12\x7f"
        "ab",
        6);
    QTest::newRow("no graph") << QByteArray(
        "\x08\x08\x12\x02"
        "ab",
        6);
  }
  void other_files_are_no_models() {
    QFETCH(QByteArray, bytes);
    QVERIFY(!looks_like_onnx({bytes.data(), size_t(bytes.size())}));
    QTemporaryDir folder;
    std::string path = folder.filePath("file.bin").toStdString();
    std::ofstream(path, std::ios::binary).write(bytes.data(), bytes.size());
    auto graph = open_model(path);
    QVERIFY(!graph);
    QCOMPARE(graph.error().code, std::string("unknown_format"));
  }

private:
  static std::string model() { return write_onnx(build_sample("dqn").value()).value(); }
};

QTEST_GUILESS_MAIN(FormatTest)
#include "format_test.moc"
