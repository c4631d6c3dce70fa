// `tw diff` of two models' graphs, and `--what-if` of a machine that is not there.
#include <QtTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/cli/run_program.h"

using namespace command_line;

namespace {

QJsonObject json_of(QStringList arguments) {
  Run run = run_tw(arguments << "--json");
  if (run.code != 0) qWarning("%s", qPrintable(run.err));
  return QJsonDocument::fromJson(run.out.toUtf8()).object();
}

}  // namespace

class GraphDiffTest : public QObject {
  Q_OBJECT
private slots:
  void two_models_differ() {
    Run same = run_tw({"diff", "sample:dqn", "sample:dqn"});
    QCOMPARE(same.code, 0);
    QVERIFY2(same.out.contains("nothing differs"), qPrintable(same.out));
    Run text = run_tw({"diff", "sample:dqn", "sample:dcgan"});
    QVERIFY2(text.out.contains("added, ") && text.out.contains("\n+ ") && text.out.contains("\n- "),
             qPrintable(text.out));
    QJsonObject json = json_of({"diff", "sample:dqn", "sample:dcgan"});
    QJsonObject counts = json["counts"].toObject();
    QCOMPARE(json["nodes"].toArray().size(), counts["added"].toInt() + counts["removed"].toInt() +
                                                 counts["changed"].toInt() +
                                                 counts["moved"].toInt());
    QVERIFY(counts["added"].toInt() > 0);
  }

  void a_model_differs_from_what_its_passes_make_of_it() {
    QJsonObject json = json_of({"diff", "sample:mobilenet", "--passes"});
    QVERIFY(json["counts"].toObject()["removed"].toInt() > 10);  // normalizations are folded
    QCOMPARE(json["after"].toString(), QString("after passes"));
  }

  void what_is_to_be_compared_must_be_said() {
    QCOMPARE(run_tw({"diff", "sample:dqn"}).code, 2);
    QCOMPARE(run_tw({"diff", "sample:dqn", "sample:dqn", "--passes"}).code, 2);
    Run none = run_tw({"diff", "sample:dqn", "/no/such/file.onnx"});
    QVERIFY(none.code == 2 && none.err.contains("/no/such/file.onnx"));
  }

  void a_machine_that_is_not_there_is_modelled_beside_the_one_that_is() {
    QJsonObject roofs = json_of({"roofline"});
    QVERIFY(!roofs.contains("what_if"));
    double memory = 0;
    for (QJsonValue roof : roofs["roofs"].toArray())
      if (roof.toObject()["name"] == "DRAM") memory = roof.toObject()["value"].toDouble();
    QVERIFY(memory > 0);
    QString changes = QString("DRAM=%1GB/s").arg(memory * 4);
    QJsonObject other = json_of({"roofline", "--what-if", changes});
    QVERIFY(other["what_if"].toString().startsWith("DRAM "));
    for (QJsonValue roof : other["roofs"].toArray())
      if (roof.toObject()["name"] == "DRAM")
        QVERIFY(std::abs(roof.toObject()["value"].toDouble() / memory - 4) < 0.01);
    QJsonObject both = json_of({"analyze", "example:softmax", "--what-if", changes});
    QVERIFY(both["then"].toObject()["model_ms"].toDouble() <=
            both["now"].toObject()["model_ms"].toDouble() * 1.0001);
    QVERIFY(both["words"].toString().contains("modelled: "));
    Run text = run_tw({"analyze", "example:softmax", "--what-if", changes});
    QVERIFY2(text.out.contains("\nHypothetical: DRAM ") && text.out.contains("of time"),
             qPrintable(text.out));
    Run wrong = run_tw({"analyze", "example:softmax", "--what-if", "DRAM=40"});
    QVERIFY(wrong.code == 2 && wrong.err.contains("the unit is"));
  }

  void the_outermost_loops_share_the_time() {
    QJsonObject analysis = json_of({"analyze", "example:softmax"});
    double most = 0;
    for (QJsonValue loop : analysis["loops"].toArray())
      most = std::max(most, loop.toObject()["share_of_time"].toDouble());
    QVERIFY(most > 0 && most <= 1.000001);
  }
};

QTEST_GUILESS_MAIN(GraphDiffTest)
#include "graph_diff_test.moc"
