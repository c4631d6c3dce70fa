// Projects in the window: saved, opened, moved, changed, gone, recovered after a kill.
#include <QtTest>

#include <signal.h>

#include <QDialog>
#include <QDir>
#include <QPushButton>
#include <fstream>

#include "engine/support/files.h"
#include "tests/gui/workplace.h"
#include "tests/support/paths.h"

using namespace tw;

class ProjectsTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    write("m.te", testing::kMatmul);
  }

  void what_was_saved_is_opened_with_its_histories_notes_and_window() {
    {
      Workplace place(false);
      QCOMPARE(QString::fromStdString(place.lines(
                   "open " + at("m.te") +
                   "\nstep parallel(C.i)\nnote 2 mine\nundo\nstep vectorize(C.j)\n"
                   "theme light\nshow assembly\nexpect project none\nproject save " +
                   at("p.twproj") +
                   "\nexpect project p.twproj\nexpect project.changed no\n"
                   "jump 2\nexpect project.changed yes\njump 0\nexpect project.changed no\n"
                   "project save\n"
                   "expect project.changed no\n")),
               QString());
      QVERIFY(place.window->windowTitle().startsWith("p.twproj"));
    }
    Workplace later(false);
    QCOMPARE(later.lines("project open " + at("p.twproj") +
                         "\nexpect project p.twproj\nexpect model m.te\nexpect history.nodes >= 3\n"
                         "expect history.current 0\nexpect theme light\nexpect project.changed no\n"
                         "step parallel(C.i)\nexpect history.note mine\n"),
             std::string());
  }

  void what_cannot_be_opened_is_one_sentence_and_changes_nothing() {
    write("rubbish.twproj", "\x7f rubbish");
    write("newer.twproj", "{\"kind\": \"tilewright project\", \"version\": 3}");
    write("other.txt", "mine");
    Workplace place(false);
    QCOMPARE(place.lines("open " + at("m.te") + "\nstep parallel(C.i)\n"), std::string());
    QCOMPARE(place.lines("project open " + at("rubbish.twproj")),
             "line 2: " + at("rubbish.twproj") + ": this is not a Tilewright project");
    QCOMPARE(place.lines("project open " + at("newer.twproj")),
             "line 2: " + at("newer.twproj") +
                 ": the project has version 3; this version of Tilewright reads up to version 1");
    QCOMPARE(place.lines("project open " + at("nothing.twproj")),
             "line 2: " + at("nothing.twproj") + ": cannot be read: No such file or directory");
    QCOMPARE(place.lines("project save " + at("other.txt")),
             "line 2: " + at("other.txt") + ": is not a project, so it is not overwritten");
    QCOMPARE(read_file(at("other.txt")).value(), std::string("mine"));
    QCOMPARE(place.lines("project save /proc/p.twproj"),
             std::string("line 2: /proc/p.twproj: cannot be written: No such file or "
                         "directory"));
    QCOMPARE(place.lines("expect step parallel(C.i)\nexpect project.changed yes\n"), std::string());
  }

  void a_project_that_somebody_else_has_changed_is_not_overwritten() {
    Workplace place(false), other(false);
    QCOMPARE(
        place.lines("open " + at("m.te") + "\nstep parallel(C.i)\nproject save " + at("p.twproj")),
        std::string());
    QCOMPARE(other.lines("project open " + at("p.twproj") + "\nnote 2 theirs\nproject save\n"),
             std::string());
    QCOMPARE(place.lines("note 2 ours\nproject save\n"),
             "line 3: " + at("p.twproj") +
                 ": was changed by another program since it was opened; save under another name");
    QVERIFY(read_file(at("p.twproj")).value().find("theirs") != std::string::npos);
    QCOMPARE(place.lines("project save " + at("q.twproj")), std::string());
    QVERIFY(read_file(at("q.twproj")).value().find("ours") != std::string::npos);
  }

  void a_model_that_moved_changed_or_is_gone_is_said() {
    {
      Workplace place(false);
      QCOMPARE(place.lines("open " + at("m.te") + "\nstep parallel(C.i)\nproject save " +
                           at("p.twproj")),
               std::string());
    }
    QVERIFY(QFile::rename(path("m.te"), path("moved.te")));
    {
      Workplace place(false);
      QCOMPARE(place.lines("project open " + at("p.twproj") +
                           "\nexpect model moved.te\nexpect step parallel(C.i)\n"),
               std::string());
    }
    QVERIFY(QDir(folder_->path()).mkdir("far") &&
            QFile::rename(path("moved.te"), path("far/m.te")));
    Workplace place(false);
    QCOMPARE(
        place.lines("project open " + at("p.twproj") +
                    "\nexpect error contains the model m.te is missing: it was at " + at("m.te") +
                    "\nexpect dialog missingModelDialog\nexpect model none\n"
                    "close dialog\nproject open " +
                    at("p.twproj") + " " + at("far/m.te") +
                    "\nexpect step parallel(C.i)\nexpect model m.te\n"),
        std::string());
    std::string changed(testing::kMatmul);
    changed.replace(changed.find("matmul"), 6, "product");
    write("m.te", changed);
    Workplace again(false);
    QCOMPARE(again.lines("project open " + at("p.twproj") +
                         "\nexpect error contains has changed since the project was saved\n"
                         "expect kernel product\nproject save " +
                         at("r.twproj")),
             std::string());
    QVERIFY(read_file(at("r.twproj")).value().find("parallel(C.i)") != std::string::npos);
  }

  void another_model_sets_the_work_aside() {
    Workplace place(false);
    QCOMPARE(place.lines("open " + at("m.te") +
                         "\nstep parallel(C.i)\nsample resnet18\nexpect kernels >= 10\n"),
             std::string());
    QDir earlier(place.folder.filePath("state/earlier"));
    QStringList files = earlier.entryList({"*.twproj"});
    QCOMPARE(files.size(), 1);
    QCOMPARE(place.lines("project open " + earlier.filePath(files[0]).toStdString() +
                         "\nexpect step parallel(C.i)\n"),
             std::string());
  }

  void work_of_a_killed_window_is_offered_and_recovered() {
    QString state = path("state");
    killed_window(state, "step parallel(C.i)\nnote 2 \"before the crash\"\n", "before the crash");
    QString old = QDir(state + "/recovery").entryList({"*.twproj"}).at(0);
    Workplace place(false, state);
    place.window->projects().offer_recovery();
    auto* dialog = place.window->findChild<QDialog*>("recoveryDialog");
    QVERIFY(dialog && dialog->isVisible());
    QCOMPARE(place.lines("close dialog\nrecover\nexpect step parallel(C.i)\n"
                         "expect history.note before the crash\nexpect project.changed yes\n"),
             std::string());
    // In this window's own file it is kept now; the old one is gone, so it is offered once.
    QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(state + "/recovery/" + old), 10000);
    QCOMPARE(QDir(state + "/recovery").entryList({"*.twproj"}).size(), 1);
    QCOMPARE(place.lines("recover\nexpect error contains no unsaved work to recover\n"),
             std::string());
    place.window->close();
    QCOMPARE(QDir(state + "/recovery").entryList({"*.twproj"}).size(), 0);
    QVERIFY(QFile::exists(state + "/session.twproj"));
  }

  void a_recovery_file_that_was_cut_is_said_and_kept() {
    QString state = path("state");
    killed_window(state, "step parallel(C.i)\n", "parallel(C.i)");
    QDir recovery(state + "/recovery");
    QString file = recovery.filePath(recovery.entryList({"*.twproj"}).at(0));
    std::string text = read_file(file.toStdString()).value();
    std::ofstream(file.toStdString()) << text.substr(0, text.size() / 2);
    Workplace place(false, state);
    QCOMPARE(place.lines("recover\nexpect error contains it is truncated\nexpect model none\n"
                         "recover\nexpect error contains no unsaved work to recover\n"),
             std::string());
    QVERIFY(QFile::exists(file + ".broken"));
  }

  void the_work_of_a_living_window_is_not_offered_to_another() {
    QString state = path("state");
    Workplace place(false, state);
    QCOMPARE(place.lines("open " + at("m.te") + "\nstep parallel(C.i)\n"), std::string());
    QTRY_COMPARE_WITH_TIMEOUT(QDir(state + "/recovery").entryList({"*.twproj"}).size(), 1, 10000);
    Workplace other(false, state);
    QCOMPARE(other.lines("recover\nexpect error contains no unsaved work to recover\n"),
             std::string());
  }

  void the_command_line_says_what_a_project_holds() {
    {
      Workplace place(false);
      QCOMPARE(place.lines("open " + at("m.te") +
                           "\nstep parallel(C.i)\nnote 2 mine\nproject save " + at("p.twproj")),
               std::string());
    }
    auto tw = [&](QStringList const& arguments) {
      QProcess process;
      process.start(testing::built("/bin/tw"), arguments);
      process.waitForFinished(60000);
      return std::pair{process.exitCode(), QString::fromUtf8(process.readAllStandardOutput() +
                                                             process.readAllStandardError())};
    };
    auto [code, text] = tw({"project", "show", path("p.twproj")});
    QCOMPARE(code, 0);
    for (char const* part :
         {"model    m.te\n", "it is still at: ", "kernel   matmul ", "note: mine\n", "(chosen)"})
      QVERIFY2(text.contains(part), qPrintable(text));
    QVERIFY(QFile::remove(path("m.te")));
    auto [missing, words] = tw({"project", "show", path("p.twproj"), "--json"});
    QCOMPARE(missing, 1);
    QVERIFY2(words.contains("\"state\": \"missing\""), qPrintable(words));
    write("x.twproj", "x");
    QCOMPARE(tw({"project", "show", path("x.twproj")}).first, 2);
  }

  void a_project_with_its_model_opens_without_the_file() {
    std::string text = read_file(at("m.te")).value();
    {
      Workplace place(false);
      QCOMPARE(
          place.lines("open " + at("m.te") +
                      "\nstep parallel(C.i)\nexpect project.embeds no\n"
                      "project save with model " +
                      at("p.twproj") +
                      "\nexpect project.embeds yes\nstep split(C.k, factor=8)\nproject save\n"),
          std::string());
    }
    QFile::remove(QString::fromStdString(at("m.te")));
    Workplace later(false);
    QCOMPARE(later.lines("project open " + at("p.twproj") +
                         "\nexpect error contains the copy in the project is used\n"
                         "expect history.nodes >= 4\nexpect project.embeds yes\n"),
             std::string());
    // A file that has changed since is not what the histories are of: the copy is.
    write("m.te", "tilewright te 1\nkernel other(A: f32[8]) -> B\n  B[i in 8] = A[i] * 2.0\n");
    Workplace third(false);
    QCOMPARE(third.lines("project open " + at("p.twproj") +
                         "\nexpect error contains the copy in the project is used\n"
                         "expect history.nodes >= 4\n"),
             std::string());
    QCOMPARE(third.lines("sample dqn\nproject save with model\n"
                         "expect error contains a built-in model does not need a copy\n"),
             std::string());
  }

private:
  /// Starts the program, lets it do what the lines say, and kills it when `sign` is in its file.
  void killed_window(QString const& state, std::string const& lines, std::string const& sign) {
    write("j.journal", "tilewright journal 1\nopen m.te\n" + lines);
    QProcess process;
    process.start(testing::built("/bin/tilewright"),
                  {"--state", state, "--journal", path("j.journal"), "--stay"});
    QVERIFY(process.waitForStarted(30000));
    QDir recovery(state + "/recovery");
    bool kept = false;
    for (int i = 0; i < 600 && !kept; ++i) {
      QTest::qWait(100);
      recovery.refresh();
      for (QString const& name : recovery.entryList({"*.twproj"})) {
        auto text = read_file(recovery.filePath(name).toStdString());
        kept |= text && text->find(sign) != std::string::npos;
      }
    }
    ::kill(pid_t(process.processId()), SIGKILL);
    QVERIFY(process.waitForFinished(30000));
    QVERIFY2(kept, "the window kept nothing");
  }
  QString path(char const* name) const { return folder_->filePath(name); }
  std::string at(char const* name) const { return path(name).toStdString(); }
  void write(char const* name, std::string const& text) { std::ofstream(at(name)) << text; }

  std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_MAIN(ProjectsTest)
#include "projects_test.moc"
