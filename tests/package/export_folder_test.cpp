// What an export may replace, what it leaves behind, and what it must never touch.
#include "engine/package/export_folder.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <fstream>

#include "engine/package/export_list.h"
#include "engine/support/files.h"
#include "tests/support/paths.h"

using namespace tw;
namespace fs = std::filesystem;

namespace {

void put(fs::path const& file, std::string const& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

std::string text_in(fs::path const& file) { return read_file(file).value_or("(none)"); }

}  // namespace

class ExportFolderTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    fs::remove_all(root());
    fs::create_directories(root());
  }

  void a_later_export_takes_the_place_of_an_earlier_one() {
    QVERIFY(export_text("one"));
    QVERIFY(export_text("two"));
    QCOMPARE(text_in(at("out/model.json")), std::string("two"));
    QCOMPARE(text_in(at("out/test/input_0.bin")), std::string("two"));
    QCOMPARE(names(), QStringList{"out"});
  }

  void an_absent_or_empty_folder_and_one_below_folders_to_come_are_taken() {
    fs::create_directory(at("out"));
    QVERIFY(export_text("one"));
    auto deep = draft(at("a/b/c"));
    QVERIFY(deep && deep->publish());
    QVERIFY(fs::exists(at("a/b/c/tilewright-export.txt")));
  }

  void what_no_export_wrote_is_never_lost_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("sentence");
    QString refused = ": remove it, or choose another folder";
    QTest::newRow("a file") << "thesis.txt"
                            << "contains thesis.txt, which the earlier export did not write" +
                                   refused;
    QTest::newRow("deep") << "test/data/mine.bin"
                          << "contains test/data, which the earlier export did not write" + refused;
    QTest::newRow("hidden") << ".git/config"
                            << "contains .git, which the earlier export did not write" + refused;
    QTest::newRow("changed") << "example.cpp"
                             << "contains example.cpp, which was changed after the earlier export" +
                                    refused;
  }
  void what_no_export_wrote_is_never_lost() {
    QFETCH(QString, name);
    QFETCH(QString, sentence);
    QVERIFY(export_text("one"));
    put(at("out") / name.toStdString(), "years of work");
    auto made = export_text("two");
    QVERIFY(!made && made.error().code == "folder_in_use");
    QCOMPARE(QString::fromStdString(made.error().message), sentence);
    QCOMPARE(text_in(at("out") / name.toStdString()), std::string("years of work"));
    QCOMPARE(text_in(at("out/model.json")), std::string("one"));
    QCOMPARE(names(), QStringList{"out"});
  }

  void a_folder_with_a_model_json_is_no_export() {
    put(at("out/model.json"), "somebody else's");
    put(at("out/thesis.txt"), "years of work");
    QVERIFY(!export_text("one"));
    put(at("out/tilewright-export.txt"), "something else");
    QVERIFY(!export_text("one"));
    // A list that reaches out of the folder names nothing.
    put(at("victim"), "years of work");
    put(at("out/tilewright-export.txt"), "tilewright export 1\n../victim\t1 2\nmodel.json\t1 2\n");
    QVERIFY(!export_text("one"));
    QCOMPARE(text_in(at("victim")), std::string("years of work"));
    QCOMPARE(text_in(at("out/thesis.txt")), std::string("years of work"));
  }

  void the_program_built_again_by_its_line_is_no_reason_to_refuse() {
    QVERIFY(export_text("one"));
    put(at("out/example"), "built again");
    fs::remove(at("out/model.json"));
    QVERIFY(export_text("two"));
    QCOMPARE(text_in(at("out/example")), std::string("two"));
  }

  void what_comes_while_an_export_is_written_stays() {
    QVERIFY(export_text("one"));
    auto second = draft(at("out"));
    put(second->path() / "model.json", "two");
    put(at("out/thesis.txt"), "years of work");
    QVERIFY(!second->publish());
    QCOMPARE(text_in(at("out/thesis.txt")), std::string("years of work"));
    QCOMPARE(text_in(at("out/model.json")), std::string("one"));
  }

  void a_link_to_a_folder_stays_a_link() {
    fs::create_directory(at("real"));
    fs::create_directory_symlink("real", at("out"));
    QVERIFY(export_text("one"));
    QVERIFY(export_text("two"));
    QVERIFY(fs::is_symlink(at("out")));
    QCOMPARE(text_in(at("real/model.json")), std::string("two"));
    // A folder behind a link in an export is somebody's.
    put(at("mine/thesis.txt"), "years of work");
    fs::remove_all(at("real/test"));
    fs::create_directory_symlink("../mine", at("real/test"));
    QVERIFY(!export_text("three"));
    QCOMPARE(text_in(at("mine/thesis.txt")), std::string("years of work"));
  }

  void parts_of_killed_processes_go_and_those_of_living_ones_stay() {
    auto living = draft(at("out"));
    QVERIFY(living);
    put(living->path() / "parameters.bin", "half");
    int ready[2];
    QVERIFY(::pipe(ready) == 0);
    pid_t child = ::fork();
    if (child == 0) {
      auto dead = draft(at("out"));
      put(dead->path() / "parameters.bin", "half");
      put(dead->path() / "test/input_0.bin", "half");
      (void)!::write(ready[1], "y", 1);
      for (;;) ::pause();
    }
    char word = 0;
    QVERIFY(::read(ready[0], &word, 1) == 1);
    put(at("out.7.1.part/thesis.txt"), "no draft of an export: it has no list");
    QCOMPARE(names().size(), qsizetype(3));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    QVERIFY(export_text("one"));
    QStringList left{"out", "out.7.1.part",
                     QString::fromStdString(living->path().filename().string())};
    left.sort();
    QCOMPARE(names(), left);
    QVERIFY(fs::exists(at("out.7.1.part/thesis.txt")));
    QVERIFY(living->publish());
    QCOMPARE(names(), (QStringList{"out", "out.7.1.part"}));
  }

  /// The lock goes along to a child that is being started, and stays a moment longer.
  void a_child_that_was_being_started_keeps_nothing() {
    int ready[2];
    QVERIFY(::pipe(ready) == 0);
    pid_t child = ::fork();
    if (child == 0) {
      auto dead = draft(at("out"));
      put(dead->path() / "parameters.bin", "half");
      bool is_started = ::fork() == 0;
      if (is_started) ::usleep(200'000);
      if (is_started) ::_exit(0);
      (void)!::write(ready[1], "y", 1);
      for (;;) ::pause();
    }
    char word = 0;
    QVERIFY(::read(ready[0], &word, 1) == 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    QVERIFY(export_text("one"));
    QCOMPARE(names(), QStringList{"out"});
  }

  void a_signal_takes_away_what_was_written_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl-C") << SIGINT;
    QTest::newRow("terminate") << SIGTERM;
    QTest::newRow("hang up") << SIGHUP;
  }
  void a_signal_takes_away_what_was_written() {
    QFETCH(int, signal);
    QVERIFY(export_text("one"));
    int status = export_and_signal(signal);
    QVERIFY2(WIFSIGNALED(status) && WTERMSIG(status) == signal, "it did not end by the signal");
    QCOMPARE(names(), QStringList{"out"});
    QCOMPARE(text_in(at("out/model.json")), std::string("one"));
  }

  void what_a_kill_leaves_is_gone_after_the_next_export() {
    int status = export_and_signal(SIGKILL);
    QVERIFY(WIFSIGNALED(status));
    QVERIFY2(names().size() == 1, qPrintable(names().join(' ')));
    QVERIFY(names().front().endsWith(".part"));
    QVERIFY(export_text("one"));
    QCOMPARE(names(), QStringList{"out"});
  }

  void a_kill_while_the_first_list_is_written_leaves_nothing_either() {
    fs::create_directories(at("out.7.1.part"));
    put(at("out.7.1.part") / (std::string(kExportList) + ".7.1.new"), "half a li");
    fs::create_directories(at("out.7.2.part"));
    put(at("out.7.2.part/thesis.txt"), "mine");
    QVERIFY(export_text("one"));
    QCOMPARE(names(), (QStringList{"out", "out.7.2.part"}));
  }

private:
  fs::path root() const { return fs::path(folder_.path().toStdString()) / "exports"; }
  fs::path at(std::string const& name) const { return root() / name; }
  QStringList names() const {
    return QDir(QString::fromStdString(root().string()))
        .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
  }
  static Result<ExportDraft> draft(fs::path const& folder) { return ExportDraft::create(folder); }

  /// What an export does, without a model.
  Status export_text(std::string const& text) {
    TRY(check_folder(at("out")));
    TRY_ASSIGN(ExportDraft made, draft(at("out")));
    for (char const* name : {"model.json", "example", "example.cpp", "test/input_0.bin"})
      put(made.path() / name, text);
    return made.publish();
  }

  /// Sends the signal once `tw export` has begun to write; its status.
  int export_and_signal(int signal) {
    std::string out = at("out").string();
    pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGINT, SIG_DFL);
      ::signal(SIGHUP, SIG_DFL);
      ::execl(testing::built("/bin/tw"), "tw", "export", "sample:lstm", "--out", out.c_str(),
              nullptr);
      ::_exit(127);
    }
    auto writes = [&] {
      return names().filter(QRegularExpression("^out\\..*\\.part$")).size() == 1;
    };
    for (int i = 0; i < 6000 && !writes(); ++i) ::usleep(10'000);
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(ExportFolderTest)
#include "export_folder_test.moc"
