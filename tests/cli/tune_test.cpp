// `tw tune`: what it prints, what it writes, what it refuses.
#include <QtTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/cli/run_program.h"

using namespace command_line;

class TuneCommandTest : public QObject {
  Q_OBJECT
private slots:
  void a_tuned_script_is_right_and_json_says_each_trial() {
    QString out = folder_.filePath("best.tws");
    Run run =
        tw({"tune", "example:matmul", "--trials", "12", "--seed", "3", "--json", "--out", out});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QStringList lines = run.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 13);
    double best = 1e9;
    for (int i = 0; i < 12; ++i) {
      QJsonObject trial = QJsonDocument::fromJson(lines[i].toUtf8()).object();
      QCOMPARE(trial["trial"].toInt(), i + 1);
      QCOMPARE(trial["class"].toString(), "ok");
      for (QJsonValue seconds : trial["seconds"].toArray())
        best = std::min(best, seconds.toDouble());
      QCOMPARE(trial["best_seconds"].toDouble(), best);
      if (i == 0) QVERIFY(trial["point"].toObject().isEmpty());  // the default is the first
    }
    QJsonObject result = QJsonDocument::fromJson(lines[12].toUtf8()).object();
    QCOMPARE(result["trials"].toInt(), 12);
    QVERIFY(result["best_ms"].toDouble() <= result["default_ms"].toDouble() * 1.05);
    Run check = tw({"check", "example:matmul", "--script", out});
    QVERIFY2(check.code == 0, qPrintable(check.out + check.err));
  }

  void knobs_are_listed_and_can_be_pinned() {
    Run list = tw({"tune", "example:matmul", "--knobs", "--json"});
    QVERIFY2(list.code == 0, qPrintable(list.err));
    QJsonArray knobs = QJsonDocument::fromJson(list.out.toUtf8()).array();
    QVERIFY(knobs.size() >= 4);
    QString name, value;
    for (QJsonValue one : knobs) {
      QJsonObject knob = one.toObject();
      QVERIFY(knob["values"].toArray().contains(knob["default"]));
      if (knob["values"].toArray().size() > 1 && name.isEmpty()) {
        name = knob["knob"].toString();
        for (QJsonValue other : knob["values"].toArray())
          if (other != knob["default"]) value = other.toString();
      }
    }
    Run pinned =
        tw({"tune", "example:matmul", "--trials", "3", "--json", "--pin", name + "=" + value});
    QVERIFY2(pinned.code == 0, qPrintable(pinned.err));
    for (QString const& line : pinned.out.trimmed().split('\n'))
      QCOMPARE(QJsonDocument::fromJson(line.toUtf8()).object()["point"].toObject()[name].toString(),
               value);
  }

  void what_cannot_be_is_one_sentence() {
    auto sentence = [](QStringList more) {
      Run run = tw(QStringList{"tune", "example:matmul"} + more);
      return run.code == 2 ? run.err.trimmed() : QString::number(run.code) + run.out;
    };
    QVERIFY(sentence({"--pin", "C.luck=1"}).contains("no knob 'C.luck'"));
    QVERIFY(sentence({"--pin", "luck"}).contains("KNOB=VALUE"));
    QVERIFY(sentence({"--search", "luck"}).contains("there are genetic, descent, random"));
    QVERIFY(sentence({"--trials", "0"}).contains("--trials"));
  }

private:
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TuneCommandTest)
#include "tune_test.moc"
