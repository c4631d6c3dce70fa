// Files that appear whole or not at all, and stay what they were to everybody else.
#include "engine/support/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <fstream>

using namespace tw;
namespace fs = std::filesystem;

namespace {

mode_t mode_of(fs::path const& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) qFatal("no %s", path.c_str());
  return info.st_mode & 07777;
}

void put(fs::path const& path, std::string const& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

}  // namespace

class FilesTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    fs::remove_all(folder());
    fs::create_directories(folder());
  }

  void a_file_keeps_its_mode() {
    for (mode_t mode : {0600, 0640, 0664, 0755}) {
      put(at("kept"), "old");
      ::chmod(at("kept").c_str(), mode);
      QVERIFY(write_file(at("kept"), "new"));
      QCOMPARE(mode_of(at("kept")), mode);
      QCOMPARE(read_file(at("kept")).value(), std::string("new"));
    }
  }

  void a_new_file_has_what_the_umask_leaves() {
    mode_t before = ::umask(0027);
    QVERIFY(write_file(at("fresh"), "x"));
    ::umask(before);
    QCOMPARE(mode_of(at("fresh")), mode_t(0640));
  }

  void a_link_stays_and_its_target_is_written() {
    fs::create_directory(at("elsewhere"));
    put(at("elsewhere") / "real", "old");
    fs::create_symlink("elsewhere/real", at("first"));
    fs::create_symlink("first", at("second"));
    QVERIFY(write_file(at("second"), "new"));
    QVERIFY(fs::is_symlink(at("second")) && fs::is_symlink(at("first")));
    QCOMPARE(read_file(at("elsewhere") / "real").value(), std::string("new"));
    fs::create_symlink("elsewhere/to_come", at("dangling"));
    QVERIFY(write_file(at("dangling"), "there"));
    QCOMPARE(read_file(at("elsewhere") / "to_come").value(), std::string("there"));
    fs::create_symlink("round", at("round"));
    QCOMPARE(write_file(at("round"), "x").error().message,
             std::string("cannot be written: Too many levels of symbolic links"));
  }

  void a_read_only_file_stays_as_it_is() {
    put(at("fixed"), "old");
    ::chmod(at("fixed").c_str(), 0444);
    Status status = write_file(at("fixed"), "new");
    QCOMPARE(status.error().message, std::string("cannot be written: it is read-only"));
    QCOMPARE(status.error().place.file, at("fixed").string());
    QCOMPARE(read_file(at("fixed")).value(), std::string("old"));
    QCOMPARE(mode_of(at("fixed")), mode_t(0444));
  }

  void a_byte_order_mark_is_no_part_of_a_text() {
    put(at("marked"), "\xEF\xBB\xBFkernel");
    QCOMPARE(read_text(at("marked")).value(), std::string("kernel"));
    QCOMPARE(read_file(at("marked")).value().size(), size_t(9));
    put(at("short"), "\xEF\xBB");
    QCOMPARE(read_text(at("short")).value(), std::string("\xEF\xBB"));
  }

  void a_killed_writer_leaves_the_old_file_and_nothing_else_after_the_next_write() {
    put(at("target"), "old");
    std::string large(size_t(64) << 20, 'x');
    for (int milliseconds : {1, 3, 10, 20, 40, 80}) {
      pid_t child = ::fork();
      if (child == 0) {
        for (;;) (void)write_file(at("target"), large);
      }
      ::usleep(useconds_t(milliseconds) * 1000);
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      auto size = fs::file_size(at("target"));
      QVERIFY2(size == 3 || size == large.size(), "half a file");
      put(at("target"), "old");
    }
    sweep_drafts(folder());
    QCOMPARE(names(), QStringList{"target"});
  }

  void what_a_living_process_writes_is_not_swept() {
    int ready[2];
    QVERIFY(::pipe(ready) == 0);
    put(at("f.7.1.new"), "left behind");
    put(at("f.new"), "somebody's own");
    put(at("f.x.1.new"), "somebody's own");
    pid_t child = ::fork();
    if (child == 0) {
      int held = ::open(at("f.8.2.new").c_str(), O_CREAT | O_WRONLY, 0644);
      bool locked = ::flock(held, LOCK_EX) == 0;
      (void)!::write(ready[1], locked ? "y" : "n", 1);
      for (;;) ::pause();
    }
    char word = 0;
    QVERIFY(::read(ready[0], &word, 1) == 1 && word == 'y');
    sweep_drafts(folder(), "other");
    QVERIFY(fs::exists(at("f.7.1.new")));
    sweep_drafts(folder(), "f");
    QCOMPARE(names(), (QStringList{"f.8.2.new", "f.new", "f.x.1.new"}));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    sweep_drafts(folder());
    QCOMPARE(names(), (QStringList{"f.new", "f.x.1.new"}));
  }

private:
  fs::path at(std::string const& name) const { return folder() / name; }
  fs::path folder() const { return fs::path(folder_.path().toStdString()) / "files"; }
  QStringList names() const {
    return QDir(QString::fromStdString(folder().string())).entryList(QDir::Files | QDir::Hidden);
  }
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(FilesTest)
#include "files_test.moc"
