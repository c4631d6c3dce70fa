// `tw inspect` of one operator, kernel or tensor.
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

class InspectTest : public QObject {
  Q_OBJECT
private slots:
  void an_operator_has_its_attributes_tensors_and_cost() {
    QJsonObject conv = json_of({"inspect", "sample:resnet18", "--node", "#0"});
    QCOMPARE(conv["kind"].toString(), QString("operator"));
    QCOMPARE(conv["pattern"].toString(), QString("complex"));
    bool strides = false;
    for (QJsonValue attribute : conv["attributes"].toArray())
      if (attribute.toObject()["name"] == "strides")
        strides = attribute.toObject()["value"] == "2, 2";
    QVERIFY(strides);
    QCOMPARE(conv["inputs"].toArray().at(1).toObject()["shape"].toString(), QString("64x3x7x7"));
    QVERIFY(conv["inputs"].toArray().at(1).toObject()["weight"].toBool());
    QCOMPARE(conv["cost"].toObject()["bytes_written"].toInt(), 64 * 112 * 112 * 4);
    QVERIFY(conv["compute"].toString().startsWith("tilewright te 1\n"));
  }

  void the_values_of_a_weight_are_numbers() {
    QJsonObject conv = json_of({"inspect", "sample:resnet18", "--node", "#0"});
    QString weight = conv["inputs"].toArray().at(1).toObject()["name"].toString();
    QJsonObject values =
        json_of({"inspect", "sample:resnet18", "--tensor", weight})["values"].toObject();
    QCOMPARE(values["count"].toInt(), 64 * 3 * 7 * 7);
    int all = 0;
    for (QJsonValue count : values["histogram"].toObject()["counts"].toArray())
      all += count.toInt();
    QCOMPARE(all, 64 * 3 * 7 * 7);
    QVERIFY(values["least"].toDouble() < values["mean"].toDouble());
    QVERIFY(values["mean"].toDouble() < values["greatest"].toDouble());
    Run text = run_tw({"inspect", "sample:resnet18", "--tensor", weight});
    QVERIFY2(text.out.contains("histogram") && text.out.contains("####"), qPrintable(text.out));
  }

  void the_cut_beside_an_accelerator_is_shown_without_it() {
    QJsonObject cut = json_of({"inspect", "sample:dqn", "--offload", "cuda:h100"});
    QJsonArray kernels = cut["kernels"].toArray();
    QVERIFY(kernels.size() > 2);
    for (QJsonValue kernel : kernels) {
      QJsonObject one = kernel.toObject();
      QCOMPARE(one["device"].toString(),
               one.contains("reason") ? QString("local") : QString("cuda:h100"));
    }
    QVERIFY(cut["copies"].toInt() >= 2);
    QVERIFY(cut["copied_bytes"].toInt() > 84 * 84 * 4);
    Run text = run_tw({"inspect", "sample:dqn", "--offload", "cuda:h100"});
    QVERIFY2(text.out.contains("copied between devices in each run"), qPrintable(text.out));
  }

  void a_kernel_lists_its_operators() {
    QJsonObject kernel = json_of({"inspect", "sample:resnet18", "--kernel", "conv2d_64x56x56_3x3"});
    QVERIFY(kernel["operators"].toArray().size() > 1);
    QVERIFY(kernel["cost"].toObject()["share_of_work"].toDouble() > 0.05);
  }

  void a_node_that_no_pass_has_left_is_shown_as_the_file_has_it() {
    QJsonObject model = json_of({"inspect", "sample:resnet18"});
    QVERIFY(model["operator_counts"].toObject().contains("batch_norm"));
    QJsonObject imported = json_of({"inspect", "sample:resnet18", "--node", "#1", "--imported"});
    QCOMPARE(imported["kind"].toString(), QString("imported"));
    QVERIFY(!imported["after_fusion"].toArray().isEmpty());
    QJsonObject same =
        json_of({"inspect", "sample:resnet18", "--node", imported["name"].toString()});
    QCOMPARE(same["name"].toString(), imported["name"].toString());
  }

  void what_is_not_there_is_refused() {
    Run run = run_tw({"inspect", "sample:resnet18", "--node", "nobody"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("has no node 'nobody'"), qPrintable(run.err));
    QCOMPARE(run_tw({"inspect", "sample:resnet18", "--tensor", "nobody"}).code, 2);
    QCOMPARE(run_tw({"inspect", "sample:resnet18", "--node", "a", "--kernel", "b"}).code, 2);
    QCOMPARE(run_tw({"inspect", "sample:resnet18", "--imported"}).code, 2);
  }
};

QTEST_GUILESS_MAIN(InspectTest)
#include "inspect_test.moc"
