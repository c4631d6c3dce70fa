// `tw tune`: what it prints, what it writes, what it refuses.
#include <QtTest>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <signal.h>

#include <set>

#include "tests/cli/run_program.h"
#include "tests/support/paths.h"

using namespace command_line;

class TuneCommandTest : public QObject {
  Q_OBJECT
private slots:
  void a_tuned_script_is_right_and_json_says_each_trial() {
    QString out = folder_.filePath("best.tws");
    Run run =
        run_tw({"tune", "example:matmul", "--trials", "12", "--seed", "3", "--json", "--out", out});
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
    Run check = run_tw({"check", "example:matmul", "--script", out});
    QVERIFY2(check.code == 0, qPrintable(check.out + check.err));
  }

  /// What was found so far is compared and written, and how to go on is said.
  void ctrl_c_keeps_the_best_so_far() {
    QString out = folder_.filePath("stopped.tws"), store = folder_.filePath("stopped.sqlite");
    QProcess process;
    process.start(tw::testing::built("/bin/tw"),
                  {"tune", "example:matmul", "--trials", "100000", "--job", "night", "--store",
                   store, "--out", out, "--json"});
    QVERIFY(process.waitForStarted());
    QByteArray said;
    while (said.count('\n') < 5 && process.waitForReadyRead(120'000))
      said += process.readAllStandardOutput();
    QVERIFY(said.count('\n') >= 5);
    ::kill(pid_t(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(300'000));
    QByteArray result = (said + process.readAllStandardOutput()).trimmed().split('\n').last();
    QByteArray errors = process.readAllStandardError();
    // Whoever started it sees the signal.
    QVERIFY2(process.exitStatus() == QProcess::CrashExit,
             "exit code " + QByteArray::number(process.exitCode()) + '\n' + errors + result);
    QCOMPARE(QJsonDocument::fromJson(result).object()["end"].toString(), QString("stopped"));
    QVERIFY(QFile::exists(out));
    QVERIFY(errors.contains("stopping"));
    QVERIFY(json_of({"history", "list", "--store", store, "--job", "night"}).size() >= 5);
    QVERIFY(run_tw({"check", "example:matmul", "--script", out}).code == 0);
  }

  /// Told before the search, not after it.
  void where_nothing_can_be_written_nothing_is_searched() {
    QString store = folder_.filePath("none.sqlite");
    for (QString const& out : {folder_.filePath("nowhere/best.tws"), folder_.path()}) {
      Run run = run_tw({"tune", "example:matmul", "--trials", "4", "--store", store, "--out", out});
      QCOMPARE(run.code, 3);
      QVERIFY2(run.err.contains(out), qPrintable(run.err));
    }
    QVERIFY(json_of({"history", "list", "--store", store}).isEmpty());
  }

  void trials_are_kept_listed_exported_and_taken_in_again() {
    QString store = folder_.filePath("kept/trials.sqlite"), lines = folder_.filePath("t.jsonl");
    QCOMPARE(run_tw({"history", "list", "--store", store}).code, 2);
    auto tuned = [&](char const* seed, char const* job) {
      return run_tw({"tune", "example:matmul", "--trials", "8", "--seed", seed, "--json", "--store",
                     store, "--job", job});
    };
    QVERIFY(tuned("3", "night").code == 0);
    QJsonArray rows = json_of({"history", "list", "--store", store});
    QCOMPARE(rows.size(), 8);
    QJsonArray fastest = json_of({"history", "list", "--store", store, "--order", "fastest"});
    QJsonObject best =
        json_of({"history", "best", "--store", store, "--kernel", "matmul"})[0].toObject();
    QCOMPARE(best["id"], fastest[0].toObject()["id"]);
    Run shown = run_tw({"history", "show", QString::number(best["id"].toInt()), "--store", store});
    QVERIFY2(shown.out.contains("tilewright schedule 1"), qPrintable(shown.out + shown.err));
    // What is known is tried first, after the default; of two that compile at once one is sooner.
    Run again = tuned("4", "morning");
    bool found = best["knobs"].toObject().isEmpty();  // the default is the best
    for (QString const& line : again.out.split('\n').mid(1, 4))
      found = found || QJsonDocument::fromJson(line.toUtf8()).object()["point"] == best["knobs"];
    QVERIFY2(found, qPrintable(again.out));
    QCOMPARE(json_of({"history", "list", "--store", store, "--job", "night"}).size(), 8);
    QCOMPARE(json_of({"history", "list", "--store", store}).size(), 16);
    QVERIFY(run_tw({"history", "export", lines, "--store", store}).code == 0);
    QString other = folder_.filePath("other.sqlite");
    QVERIFY(run_tw({"history", "import", lines, "--store", other}).code == 0);
    QCOMPARE(json_of({"history", "list", "--store", other}).size(), 16);
    QCOMPARE(run_tw({"history", "vacuum", "--store", other}).code, 0);
    QCOMPARE(run_tw({"history", "show", "99", "--store", other}).code, 2);
  }

  void knobs_are_listed_and_can_be_pinned() {
    Run list = run_tw({"tune", "example:matmul", "--knobs", "--json"});
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
    Run pinned = run_tw({"tune", "example:matmul", "--trials", "3", "--json", "--no-store", "--pin",
                         name + "=" + value});
    QVERIFY2(pinned.code == 0, qPrintable(pinned.err));
    for (QString const& line : pinned.out.trimmed().split('\n'))
      QCOMPARE(QJsonDocument::fromJson(line.toUtf8()).object()["point"].toObject()[name].toString(),
               value);
  }

  void a_model_is_tuned_as_a_whole_and_its_project_runs() {
    QString store = folder_.filePath("all.sqlite"), project = folder_.filePath("tuned.twproj");
    auto tuned = [&](int trials) {
      return run_tw({"tune", "sample:dqn", "--trials", QString::number(trials), "--threads", "1",
                     "--job", "whole", "--store", store, "--out", project, "--json"});
    };
    Run run = tuned(60);
    QVERIFY2(run.code == 0, qPrintable(run.err));
    std::set<QString> seen = points_in(run.out);
    QCOMPARE(int(seen.size()), 60);
    QJsonObject result =
        QJsonDocument::fromJson(run.out.trimmed().split('\n').last().toUtf8()).object();
    QVERIFY(result["tuned_ms"].toDouble() <= result["default_ms"].toDouble());
    QVERIFY(result["kernels"].toArray().size() >= 2);
    int scripts = 0, trials = 0;
    for (QJsonValue kernel : result["kernels"].toArray()) {
      scripts += kernel.toObject().contains("script");
      trials += kernel.toObject()["trials"].toInt();
    }
    QCOMPARE(trials, 60);
    Run by_project = run_tw({"run", project, "--rounds", "2", "--json"});
    QVERIFY2(by_project.code == 0, qPrintable(by_project.err));
    QVERIFY(run_tw({"run", project, "--default", "--rounds", "2"}).code == 0);
    Run shown = run_tw({"project", "show", project, "--json"});
    QVERIFY2(shown.code == 0, qPrintable(shown.err));
    QCOMPARE(QJsonDocument::fromJson(shown.out.toUtf8()).object()["kernels"].toArray().size(),
             scripts);
    // The same search goes on: it makes none of these again.
    Run more = tuned(20);
    QVERIFY2(more.code == 0, qPrintable(more.err));
    for (QString const& point : points_in(more.out)) QVERIFY(!seen.contains(point));
  }

  void a_model_needs_a_place_for_its_schedules() {
    Run run = run_tw({"tune", "sample:dqn", "--no-store"});
    QCOMPARE(run.code, 2);
    QVERIFY(run.err.contains("--out"));
    run = run_tw({"tune", "sample:dqn", "--no-store", "--json", "--pin", "a=1"});
    QVERIFY(run.code == 2 && run.err.contains("--kernel"));
  }

  void what_cannot_be_is_one_sentence() {
    auto sentence = [](QStringList more) {
      Run run = run_tw(QStringList{"tune", "example:matmul", "--no-store"} + more);
      return run.code == 2 ? run.err.trimmed() : QString::number(run.code) + run.out;
    };
    QVERIFY(sentence({"--pin", "C.luck=1"}).contains("no knob 'C.luck'"));
    QVERIFY(sentence({"--pin", "luck"}).contains("KNOB=VALUE"));
    QVERIFY(sentence({"--search", "luck"})
                .contains("there are learned, genetic, descent, modelled, random"));
    QVERIFY(sentence({"--model", "forest"}).contains("there are trees, tree-gru"));
    QVERIFY(sentence({"--search", "random", "--model", "tree-gru"}).contains("learns nothing"));
    QVERIFY(sentence({"--trials", "0"}).contains("--trials"));
  }

  void how_the_search_learns_is_chosen() {
    for (char const* setting :
         {"objective=rank", "acquisition=ei", "acquisition=ucb", "lambda=2"}) {
      Run run =
          run_tw({"tune", "example:matmul", "--trials", "30", "--learn", setting, "--no-store"});
      QVERIFY2(run.code == 0, qPrintable(run.err));
    }
    Run run = run_tw({"tune", "example:matmul", "--trials", "9", "--learn", "objective=best"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("rank or regression"), qPrintable(run.err));
    run = run_tw(
        {"tune", "example:matmul", "--trials", "9", "--search", "random", "--learn", "lambda=2"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("learns nothing"), qPrintable(run.err));
  }

  void what_each_step_carries_is_measured() {
    QString script = folder_.filePath("steps.tws");
    QFile file(script);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("tilewright schedule 1\nC.j.0, C.j.1 = split(C.j, factor=16)\nvectorize(C.j.1)\n");
    file.close();
    Run text = run_tw({"ablate", "example:matmul", "--script", script});
    QVERIFY2(text.code == 0, qPrintable(text.err));
    QVERIFY2(text.out.contains("takes") && text.out.contains("vectorize(C.j.1)"),
             qPrintable(text.out));
    QVERIFY(text.out.contains("(with 1 step that needs it)"));
    Run json = run_tw({"ablate", "example:matmul", "--script", script, "--json"});
    QJsonObject result = QJsonDocument::fromJson(json.out.toUtf8()).object();
    QCOMPARE(result["steps"].toArray().size(), 2);
    QVERIFY(result["ms"].toDouble() > 0 && result["default_ms"].toDouble() > 0);
    for (QJsonValue step : result["steps"].toArray())
      QVERIFY(step.toObject()["loss"].toDouble() > -0.9);
    Run plain = run_tw({"ablate", "example:matmul"});
    QCOMPARE(plain.code, 2);
    QVERIFY(plain.err.contains("has no steps to leave out"));
  }

private:
  /// "KERNEL POINT" of each trial.
  static std::set<QString> points_in(QString const& lines) {
    std::set<QString> points;
    for (QString const& line : lines.trimmed().split('\n')) {
      QJsonObject trial = QJsonDocument::fromJson(line.toUtf8()).object();
      if (trial.contains("trial"))
        points.insert(trial["kernel"].toString() + " " +
                      QJsonDocument(trial["point"].toObject()).toJson(QJsonDocument::Compact));
    }
    return points;
  }
  static QJsonArray json_of(QStringList arguments) {
    Run run = run_tw(arguments << "--json");
    return QJsonDocument::fromJson(run.out.toUtf8()).array();
  }
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TuneCommandTest)
#include "tune_test.moc"
