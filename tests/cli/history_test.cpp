// `tw records` with records that others wrote: what steers a terminal, what comes twice, what is
// damaged.
#include <QtTest>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "tests/cli/run_program.h"

using namespace command_line;

namespace {

/// Names that set a title, colours and the screen, and a reason of two lines.
QJsonObject hostile_trial(int number) {
  return {{"tilewright_trial", 1},
          {"task", "06d92c2c71a40df0"},
          {"task_name",
           "\x1b]0;PWN\x07"
           "evil\nname"},
          {"outcome", "ok"},
          {"samples", QJsonArray{1e-6 * number}},
          {"failure", "\x1b[31mred"},
          {"knobs", QJsonObject{{"C.block.j", QString::number(number)}}},
          {"trace", "tilewright schedule 1\n\x1b[2Jfor s\n"},
          {"program", "p"},
          {"target", "cpu"},
          {"device", QString::fromUtf8("lo\xc2\x9b"
                                       "31mcal")},
          {"machine", "\x1b[2J"},
          {"build", "0.1.0"},
          {"threads", number % 3},
          {"unix_time", 1795804834.5 + number},
          {"job", "j\x1bj"}};
}

bool is_plain(QString const& text) {
  for (QChar c : text)
    if ((c < QChar(32) && c != '\n') || c == QChar(127) || (c >= QChar(0x80) && c < QChar(0xA0)))
      return false;
  return true;
}

}  // namespace

class HistoryCommandTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QFile lines(file("some.jsonl"));
    QVERIFY(lines.open(QFile::WriteOnly));
    for (int i = 1; i <= 5; ++i)
      lines.write(QJsonDocument(hostile_trial(i)).toJson(QJsonDocument::Compact) + "\n");
  }

  void what_others_wrote_steers_no_terminal() {
    QVERIFY(history({"import", file("some.jsonl")}).code == 0);
    for (QStringList const& words :
         {QStringList{"list"}, {"best"}, {"show", "1"}, {"list", "--job", "none\x1b"}}) {
      Run run = history(words);
      QCOMPARE(run.code, 0);
      QVERIFY2(is_plain(run.out) && is_plain(run.err), qPrintable(run.out + run.err));
    }
    QVERIFY(history({"show", "1"}).out.contains("evil name"));
    // An error may name what was read, too.
    Run wrong = run_tw({"records", "list", "--store", file("no\x1b[2Jne")});
    QVERIFY(wrong.code == 2 && is_plain(wrong.err));
  }

  void what_is_taken_in_twice_is_there_once() {
    QCOMPARE(history({"import", file("some.jsonl")}).out, QString("5 trials imported\n"));
    QCOMPARE(history({"import", file("some.jsonl")}).out,
             QString("0 trials imported, 5 there already\n"));
    QVERIFY(history({"export", file("out.jsonl")}).code == 0);
    QVERIFY(history({"import", file("out.jsonl")}).code == 0);
    QCOMPARE(rows({"list"}).size(), 5);
  }

  void a_knob_is_found_as_it_is_printed() {
    QVERIFY(history({"import", file("some.jsonl")}).code == 0);
    QVERIFY(history({"list"}).out.contains("C.block.j=4"));
    QJsonArray found = rows({"list", "--text", "C.block.j=4"});
    QCOMPARE(found.size(), 1);
    QCOMPARE(found[0].toObject()["knobs"].toObject()["C.block.j"].toString(), QString("4"));
  }

  void the_best_of_two_threads_is_not_the_best_of_one() {
    QVERIFY(history({"import", file("some.jsonl")}).code == 0);
    QJsonArray best = rows({"best"});
    QCOMPARE(best.size(), 3);  // not known, one, two
    for (int i = 0; i < 3; ++i) QCOMPARE(best[i].toObject()["threads"].toInt(), i);
  }

  void a_damaged_row_hides_no_other() {
    QVERIFY(history({"import", file("some.jsonl")}).code == 0);
    damage(3);
    for (QStringList const& words : {QStringList{"list"}, {"export", file("out.jsonl")}}) {
      Run run = history(words);
      QVERIFY2(run.code == 0, qPrintable(run.err));
      QVERIFY2(run.err.contains("trial 3 is not as it was written"), qPrintable(run.err));
    }
    QCOMPARE(rows({"list"}).size(), 4);
    QVERIFY(history({"vacuum"}).code != 0);  // who checks is told
  }

private:
  QString file(QString const& name) const { return folder_->filePath(name); }
  Run history(QStringList words) const {
    return run_tw(QStringList{"records"} + words + QStringList{"--store", file("trials.sqlite")});
  }
  QJsonArray rows(QStringList words) const {
    return QJsonDocument::fromJson(history(words + QStringList{"--json"}).out.toUtf8()).array();
  }
  /// A byte of the samples of a row, as a bad disk would.
  void damage(int row) const {
    QFile store(file("trials.sqlite"));
    QVERIFY(store.open(QFile::ReadWrite));
    QByteArray bytes = store.readAll();
    QByteArray text = QJsonDocument(QJsonArray{1e-6 * row}).toJson(QJsonDocument::Compact);
    qsizetype at = bytes.indexOf(text);
    QVERIFY2(at > 0, text);
    QVERIFY(store.seek(at + 1));
    store.write("7");
  }

  std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(HistoryCommandTest)
#include "history_test.moc"
