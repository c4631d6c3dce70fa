// `tw timeline`: what it prints of a recorded run, what it writes, what it says of mistakes.
#include <QtTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "tests/cli/run_program.h"
#include "tests/support/paths.h"

using namespace command_line;

namespace {

QString const kRun = tw::testing::source("/tests/fuzz/corpus/timeline/small.timeline");

QByteArray content(QString const& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TimelineTest : public QObject {
  Q_OBJECT
private slots:
  void a_recorded_run_is_a_table_of_totals() {
    Run run = run_tw({"timeline", "--from", kRun});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QStringList lines = run.out.split('\n');
    QCOMPARE(lines[0], QStringLiteral("120 cycles, 1.20 µs at 100 MHz, 2 instructions"));
    QCOMPARE(lines[1], QString("no race, no deadlock: proved for 2 instructions"));
    QVERIFY2(run.out.contains(QRegularExpression("Compute +GEMM +80 +67 % +1\n")),
             qPrintable(run.out));
    QVERIFY(run.out.contains(QRegularExpression("Compute +stall R +40 +33 % +1\n")));
    QVERIFY(run.out.contains(QRegularExpression("Load +idle +80 +67 %")));
    QVERIFY(run.out.contains(QRegularExpression("weights +512 B +1.0 KB\n")));
  }

  void the_same_as_json() {
    Run run = run_tw({"timeline", "--from", kRun, "--json"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QJsonObject json = QJsonDocument::fromJson(run.out.toUtf8()).object();
    QCOMPARE(json["cycles"].toInt(), 120);
    QVERIFY(json["proven"].toBool());
    QJsonObject first = json["totals"].toArray()[0].toObject();
    QCOMPARE(first["work"].toString(), QString("GEMM"));
    QCOMPARE(first["cycles"].toInt(), 80);
    QCOMPARE(json["counters"].toArray()[1].toObject()["peak"].toInt(), 512);
  }

  void it_is_written_again_and_as_a_trace() {
    QTemporaryDir folder;
    QString out = folder.filePath("deep/out.timeline"), trace = folder.filePath("trace.json");
    Run run = run_tw({"timeline", "--from", kRun, "--out", out, "--chrome", trace});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QCOMPARE(content(out), content(kRun));
    QJsonDocument json = QJsonDocument::fromJson(content(trace));
    QCOMPARE(json.object()["traceEvents"].toArray().size(), 2 + 3 + 2 + 5);
  }

  void mistakes_are_sentences_with_their_place() {
    QTemporaryDir folder;
    QString cut = folder.filePath("cut.timeline");
    QFile file(cut);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content(kRun).chopped(40));
    file.close();
    Run run = run_tw({"timeline", "--from", cut});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("the timeline is cut off: its last line, 'end', is missing after 3 "
                              "spans"),
             qPrintable(run.err));
    QVERIFY(run.err.contains(cut + ":"));
    run = run_tw({"timeline"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("give either a model or --from FILE"), qPrintable(run.err));
    run = run_tw({"timeline", "--from", folder.filePath("none")});
    QCOMPARE(run.code, 2);
    run = run_tw({"timeline", "example:softmax", "--target", "here"});
    QVERIFY(run.code != 0);
    run = run_tw({"timeline", "example:softmax"});
    QCOMPARE(run.code, 1);
    QVERIFY2(run.err.contains("has no simulator"), qPrintable(run.err));
  }
};

QTEST_GUILESS_MAIN(TimelineTest)
#include "timeline_test.moc"
