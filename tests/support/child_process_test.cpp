// What a child gets of its parent: the socket, and nothing that others opened.
#include "engine/support/child_process.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QtTest>

using namespace tw;

class ChildProcessTest : public QObject {
  Q_OBJECT
private slots:
  /// A library waits for the end of its pipe, which a child must not keep open.
  void a_child_holds_no_pipe_that_another_library_opened() {
    int ends[2];
    QCOMPARE(::pipe(ends), 0);  // closed by no exec
    auto child = ChildProcess::start({"sh", "-c", "echo up >&3; read line <&3"});
    QVERIFY(child);
    char word[3] = {};
    QCOMPARE(::recv(child->socket(), word, sizeof word, MSG_WAITALL), ssize_t(sizeof word));
    QCOMPARE(QByteArray(word, sizeof word), QByteArray("up\n"));
    ::close(ends[1]);
    pollfd wait{ends[0], POLLIN, 0};
    QVERIFY2(::poll(&wait, 1, 10'000) == 1 && (wait.revents & POLLHUP) != 0,
             "the child has the pipe's other end");
    QVERIFY(child->running());
    ::close(ends[0]);
  }

  void a_program_that_is_not_there_is_an_error() {
    auto child = ChildProcess::start({"/nowhere/at-all"});
    QVERIFY(!child);
    QCOMPARE(QString::fromStdString(child.error().code), QString("process_unavailable"));
  }
};

QTEST_GUILESS_MAIN(ChildProcessTest)
#include "child_process_test.moc"
