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
    Run made =
        run_tw(QStringList{"study", table, "--make", "example:matmul", "--points", "12"} + how);
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
    QCOMPARE(names, (QStringList{"learned", "genetic", "descent", "modelled", "random"}));
    QCOMPARE(study["learned_against"].toObject().size(), 4);
    Run again = run_tw(QStringList{"study", table} + how);
    QJsonObject replayed = QJsonDocument::fromJson(again.out.toUtf8()).object();
    QCOMPARE(replayed["best_seconds"], study["best_seconds"]);
    Run text = run_tw({"study", table, "--trials", "8", "--seeds", "2"});
    QVERIFY2(text.out.contains("learned and random: "), qPrintable(text.out + text.err));
  }

  void claims_are_asked_of_tables_with_a_verdict_and_a_picture() {
    QTemporaryDir folder;
    QString table = folder.filePath("matmul.table"), out = folder.filePath("out");
    Run made = run_tw({"study", table, "--make", "example:matmul", "--points", "20", "--trials",
                       "8", "--seeds", "2"});
    QVERIFY2(made.code == 0, qPrintable(made.err));
    Run run = run_tw({"study", "R3", "R6", "R9", table, "--trials", "10", "--seeds", "2", "--out",
                      out, "--json"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QJsonArray claims = QJsonDocument::fromJson(run.out.toUtf8()).object()["claims"].toArray();
    QCOMPARE(claims.size(), 3);
    QJsonObject curve =
        claims[0].toObject()["tables"].toArray()[0].toObject()["curves"].toArray()[0].toObject();
    QCOMPARE(curve["mean"].toArray().size(), 10);
    // One table has no history.
    QCOMPARE(claims[1].toObject()["verdict"].toString(), QString("cannot be asked"));
    QVERIFY(claims[2].toObject()["seconds"].toObject().size() > 3);
    for (char const* name : {"/R3.svg", "/R9.svg", "/study.json"})
      QVERIFY2(QFile::exists(out + name), name);
    QVERIFY(!QFile::exists(out + "/R6.svg"));
    Run text = run_tw({"study", "R8", table, "--trials", "8", "--seeds", "2"});
    QVERIFY2(text.out.contains("\nR8 some random points"), qPrintable(text.out));
    QCOMPARE(run_tw({"study", table, table}).code, 2);
    QCOMPARE(run_tw({"study", "R1"}).code, 2);
  }

  /// There the space has fewer points: all are measured, and none that means another one.
  void on_one_thread_a_small_space_is_measured_whole() {
    QTemporaryDir folder;
    QString table = folder.filePath("map.table");
    Run made = run_tw({"study", table, "--make",
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
    QCOMPARE(run_tw({"study", folder.filePath("none.table")}).code, 2);
    QString file = folder.filePath("bad.table");
    QFile bad(file);
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write("[]\n");
    bad.close();
    Run run = run_tw({"study", file});
    QVERIFY(run.code != 0 && run.err.contains("line 1 of the table"));
  }
};

QTEST_GUILESS_MAIN(StudyCommandTest)
#include "study_test.moc"
