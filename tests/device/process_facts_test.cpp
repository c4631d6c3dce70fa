// What the system says of processes, while they come and go.
#include "engine/device/rpc/process_facts.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include <QtTest>
#include <thread>

using namespace tw;

namespace {

/// Processes that end at once, from another one, so that nothing of this one is copied.
class ComingAndGoing {
public:
  ComingAndGoing() : parent_(fork()) {
    if (parent_ != 0) return;
    for (;;)
      if (pid_t child = fork(); child == 0)
        _exit(0);
      else if (child > 0)
        waitpid(child, nullptr, 0);
  }
  ~ComingAndGoing() {
    kill(parent_, SIGKILL);
    waitpid(parent_, nullptr, 0);
  }
  pid_t parent() const { return parent_; }

private:
  pid_t parent_;
};

constexpr int64_t kHeld = 48 << 20;

/// A process with a second thread, which runs `work` and then waits.
class WithAThread {
public:
  WithAThread(void (*work)(), bool first_ends) : process_(fork()) {
    if (process_ != 0) return;
    std::thread other([work] {
      work();
      for (;;) pause();
    });
    if (first_ends) syscall(SYS_exit, 0);
    for (;;) pause();
  }
  ~WithAThread() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  int64_t memory() const { return facts_of(process_).memory_bytes; }
  int threads() const { return facts_of(process_).threads; }

private:
  pid_t process_;
};

void take_memory() {
  void* piece = mmap(nullptr, kHeld, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (piece != MAP_FAILED) memset(piece, 1, kHeld);
}
void take_a_file_of_memory() {
  int file = memfd_create("held", 0);
  std::vector<char> block(1 << 20, 1);
  for (int64_t at = 0; at < kHeld; at += int64_t(block.size()))
    if (write(file, block.data(), block.size()) < 0) return;
}
void take_a_file_of_its_own() {
  if (unshare(CLONE_FILES) == 0) take_a_file_of_memory();
}

}  // namespace

class ProcessFactsTest : public QObject {
  Q_OBJECT
private slots:
  void this_process_and_its_children_are_seen() {
    std::vector<char> held(8 << 20, 1);
    ProcessFacts facts = facts_of(getpid());
    QVERIFY(held.back() == 1 && facts.threads >= 1);
    QVERIFY(facts.memory_bytes > int64_t(held.size()));
    ComingAndGoing other;
    auto children = children_by_parent();
    std::vector<pid_t> family = family_of(getpid(), children);
    QVERIFY(std::ranges::find(family, other.parent()) != family.end());
  }
  void who_is_gone_has_no_facts() {
    pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    ProcessFacts facts = facts_of(child);
    QCOMPARE(facts.memory_bytes, int64_t(0));
    QVERIFY(facts.threads == 0 && facts.hidden.empty());
  }
  /// Of a process whose first thread has ended /proc/PID says nothing but that it is a zombie.
  void what_threads_hold_counts_when_the_first_one_has_ended() {
    for (auto* work : {take_memory, take_a_file_of_memory, take_a_file_of_its_own})
      for (bool first_ends : {false, true}) {
        WithAThread process(work, first_ends);
        QTRY_VERIFY_WITH_TIMEOUT(process.memory() >= kHeld, 20'000);
        QVERIFY(process.memory() < 4 * kHeld);
        QVERIFY(process.threads() >= 1);
      }
  }
  /// A file below /proc whose process has ended meanwhile cannot be read to its end, nor its
  /// folder.
  void processes_that_end_meanwhile_end_nobody_else() {
    ComingAndGoing first, second, third;
    QElapsedTimer clock;
    clock.start();
    int looks = 0, seen = 0;
    for (; clock.elapsed() < 2000; ++looks) {
      auto children = children_by_parent();
      for (auto const* one : {&first, &second, &third})
        for (pid_t child : family_of(one->parent(), children)) {
          (void)facts_of(child);
          seen += child != one->parent();
        }
    }
    qInfo("%d looks, %d children seen", looks, seen);
    QVERIFY(seen > 0);
  }
};

QTEST_GUILESS_MAIN(ProcessFactsTest)
#include "process_facts_test.moc"
