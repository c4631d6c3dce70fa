// `tw study`: a table is made, and searches are compared on it without a device.
#include <QtTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/cli/run_program.h"

using namespace command_line;

class StudyCommandTest : public QObject {
  Q_OBJECT
private slots:
  void a_table_is_made_and_searches_are_compared_on_it_again() {
    QTemporaryDir folder;
    QString table = folder.filePath("matmul.table");
    QStringList how = {"--trials", "8", "--seeds", "2", "--json"};
    Run made = tw(QStringList{"study", table, "--make", "example:matmul", "--points", "12"} + how);
    QVERIFY2(made.code == 0, qPrintable(made.err));
    QJsonObject study = QJsonDocument::fromJson(made.out.toUtf8()).object();
    QCOMPARE(study["points"].toInt(), 12);
    QVERIFY(study["best_seconds"].toDouble() > 0);
    QStringList names;
    for (QJsonValue one : study["searches"].toArray()) {
      names << one.toObject()["search"].toString();
      QCOMPARE(one.toObject()["regret"].toArray().size(), 8);
      QCOMPARE(one.toObject()["best_seconds"].toArray().size(), 2);
    }
    QCOMPARE(names, (QStringList{"learned", "genetic", "descent", "random"}));
    QCOMPARE(study["learned_against"].toObject().size(), 3);
    Run again = tw(QStringList{"study", table} + how);
    QJsonObject replayed = QJsonDocument::fromJson(again.out.toUtf8()).object();
    QCOMPARE(replayed["best_seconds"], study["best_seconds"]);
    Run text = tw({"study", table, "--trials", "8", "--seeds", "2"});
    QVERIFY2(text.out.contains("learned and random: "), qPrintable(text.out + text.err));
  }

  /// There the space has fewer points: all are measured, and none that means another one.
  void on_one_thread_a_small_space_is_measured_whole() {
    QTemporaryDir folder;
    QString table = folder.filePath("map.table");
    Run made = tw({"study", table, "--make",
                   "te:tilewright te 1\nkernel map(X: f32[200, 300]) -> Y\n"
                   "  Y[i in 200, j in 300] = max(X[i, j], 0.0)\n",
                   "--threads", "1", "--trials", "8", "--seeds", "2", "--json"});
    QVERIFY2(made.code == 0, qPrintable(made.err));
    QJsonObject study = QJsonDocument::fromJson(made.out.toUtf8()).object();
    QVERIFY2(study["whole"].toBool(), qPrintable(made.out));
    QFile file(table);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(!file.readAll().contains("parallel"));
  }

  void what_is_no_table_is_told() {
    QTemporaryDir folder;
    QCOMPARE(tw({"study", folder.filePath("none.table")}).code, 2);
    QString file = folder.filePath("bad.table");
    QFile bad(file);
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write("[]\n");
    bad.close();
    Run run = tw({"study", file});
    QVERIFY(run.code != 0 && run.err.contains("line 1 of the table"));
  }
};

QTEST_GUILESS_MAIN(StudyCommandTest)
#include "study_test.moc"
