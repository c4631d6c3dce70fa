// What the system says of processes, while they come and go.
#include "engine/device/rpc/process_facts.h"

#include <sys/wait.h>
#include <unistd.h>

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
