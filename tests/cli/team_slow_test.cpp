// A team tunes a model: several processes on one server, of which any may be killed, the server
// too.
#include <QtTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <set>

#include "tests/cli/run_program.h"
#include "tests/support/paths.h"
#include "tests/support/postgres_server.h"

using namespace command_line;

namespace {

/// A `tw` that goes on beside the test.
class Beside {
public:
  explicit Beside(QStringList const& arguments) {
    process_.start(tw::testing::built("/bin/tw"), arguments);
    process_.waitForStarted();
  }
  ~Beside() { kill(); }
  void kill() {
    process_.kill();
    process_.waitForFinished();
  }
  void leave() { process_.terminate(); }
  /// It may have been seen to end before; nothing is to be waited for then.
  bool ended(int milliseconds = 240'000) {
    return process_.state() == QProcess::NotRunning || process_.waitForFinished(milliseconds);
  }
  int code() const { return process_.exitCode(); }
  QString out() { return out_ += QString::fromUtf8(process_.readAllStandardOutput()); }
  QString err() { return err_ += QString::fromUtf8(process_.readAllStandardError()); }
  /// Until it has said so.
  bool says(QString const& word, int milliseconds = 120'000) {
    QElapsedTimer timer;
    for (timer.start(); timer.elapsed() < milliseconds && !out().contains(word);)
      if (!process_.waitForReadyRead(200) && process_.state() == QProcess::NotRunning) break;
    return out().contains(word);
  }

private:
  QProcess process_;
  QString out_, err_;
};

}  // namespace

class TeamTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    if (!server_.missing().empty()) QSKIP(server_.missing().c_str());
    url_ = QString::fromStdString(server_.fresh());
  }

  void history_is_shared_on_a_server() {
    QVERIFY(run_tw({"tune", "example:matmul", "--trials", "4", "--json", "--store", url_}).code ==
            0);
    QCOMPARE(json_of({"records", "list", "--store", url_}).size(), 4);
    QString lines = folder_.filePath("t.jsonl");
    QCOMPARE(run_tw({"records", "export", lines, "--store", url_}).code, 0);
    QCOMPARE(run_tw({"records", "import", lines, "--store", url_}).code, 0);
    QCOMPARE(json_of({"records", "list", "--store", url_}).size(), 4);  // they were there
    QCOMPARE(run_tw({"records", "vacuum", "--store", url_}).code, 0);
    Run away = run_tw({"records", "list", "--store", "postgresql://me@127.0.0.1:1/trials"});
    QCOMPARE(away.code, 3);
    QVERIFY2(away.err.contains("the server cannot be reached"), qPrintable(away.err));
  }

  void what_cannot_be_is_one_sentence() {
    auto sentence = [](QStringList const& arguments) {
      Run run = run_tw(arguments);
      return run.code == 2 ? run.err.trimmed() : QString::number(run.code) + run.out;
    };
    QVERIFY(sentence({"tune"}).contains("MODEL is required"));
    QVERIFY(
        sentence({"tune", "--join", "a", "--store", "/tmp/x.sqlite"}).contains("postgresql://"));
    QVERIFY(sentence({"tune", "sample:dqn", "--join", "a", "--store", url_}).contains("MODEL"));
    QVERIFY(sentence({"team", "end", "a", "--store", url_}).contains("no job 'a'"));
    QVERIFY(sentence({"team", "jobs", "--store", "/tmp/x"}).contains("needs a server"));
  }

  void workers_that_are_killed_and_a_server_that_restarts_lose_nothing() {
    QString project = folder_.filePath("tuned.twproj");
    Beside starter({"tune", "sample:dqn", "--trials", "320", "--threads", "1", "--job", "whole",
                    "--lease", "4", "--store", url_, "--out", project, "--json"});
    QStringList join{"tune", "--join", "whole", "--store", url_, "--lease", "4", "--json"};
    Beside first(join), second(join);
    // In the midst of a slice; the other two may have taken all before a worker had begun.
    bool first_works = first.says("\"trial\"");
    Beside &killed = first_works ? first : second, &goes_on = first_works ? second : first;
    QVERIFY2(killed.says("\"trial\""), qPrintable(killed.err()));
    killed.kill();
    server_.stop(SIGQUIT);
    server_.start();
    Beside third(join);
    QVERIFY2(starter.ended(), "the job did not end");
    QVERIFY2(starter.code() == 0, qPrintable(starter.err()));
    QVERIFY2(goes_on.ended(30'000) && goes_on.code() == 0, qPrintable(goes_on.err()));
    QVERIFY2(third.ended(30'000) && third.code() == 0, qPrintable(third.err()));
    // What each said that it had made is there, and all of the budget was made.
    std::set<QString> kept;
    QJsonArray rows =
        json_of({"records", "list", "--job", "whole", "--limit", "1000", "--store", url_});
    for (QJsonValue row : rows)
      kept.insert(key(row["task_name"].toString(), row["knobs"].toObject()));
    QCOMPARE(rows.size(), qsizetype(kept.size()));  // no point twice
    int reported = 0;
    for (Beside* one : {&starter, &first, &second, &third})
      for (QString const& line : one->out().split('\n')) {
        QJsonObject trial = QJsonDocument::fromJson(line.toUtf8()).object();
        if (!trial.contains("trial")) continue;
        ++reported;
        QVERIFY(kept.contains(key(trial["kernel"].toString(), trial["point"].toObject())));
      }
    // A search that finds nothing more gives the rest of its kernel up.
    QVERIFY2(reported >= 40, qPrintable(QString::number(reported)));
    QJsonObject job = json_of({"team", "jobs", "--store", url_})[0].toObject();
    QCOMPARE(job["done"].toInt(), job["slices"].toInt());
    QVERIFY(!job["open"].toBool());
    // Why there are fewer trials than were asked for.
    bool converged = job["left_out"].toInt() > 0;
    QVERIFY(converged == (job["made"].toInt() < job["trials"].toInt()));
    QJsonObject end =
        QJsonDocument::fromJson(starter.out().trimmed().split('\n').last().toUtf8()).object();
    QCOMPARE(end["end"].toString(), QString(converged ? "converged" : "trials"));
    QVERIFY(run_tw({"run", project, "--rounds", "2"}).code == 0);
  }

  void a_worker_for_any_job_leaves_when_told() {
    Beside worker({"tune", "--join", "any", "--store", url_});
    QTRY_COMPARE_WITH_TIMEOUT(json_of({"team", "devices", "--store", url_}).size(), 1, 60'000);
    worker.leave();
    QVERIFY(worker.ended(30'000));
    QVERIFY2(worker.code() == 0, qPrintable(worker.err()));
    QCOMPARE(json_of({"team", "devices", "--store", url_}).size(), 0);
  }

private:
  static QString key(QString const& kernel, QJsonObject const& point) {
    return kernel + " " + QJsonDocument(point).toJson(QJsonDocument::Compact);
  }
  static QJsonArray json_of(QStringList arguments) {
    return QJsonDocument::fromJson(run_tw(arguments << "--json").out.toUtf8()).array();
  }
  tw::testing::PostgresServer server_;
  QTemporaryDir folder_;
  QString url_;
};

QTEST_GUILESS_MAIN(TeamTest)
#include "team_slow_test.moc"
