// Frames, and what a device does with broken ones.
#include "engine/device/channel.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <fstream>

#include "engine/device/hardware_text.h"
#include "engine/device/messages.pb.h"
#include "engine/support/child_process.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/device/test_kernels.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace std::chrono_literals;

namespace {

struct Pair {
  int ends[2] = {-1, -1};
  Pair() { socketpair(AF_UNIX, SOCK_STREAM, 0, ends); }
  ~Pair() {
    close(ends[0]);
    close(ends[1]);
  }
};

WaitLimit soon() { return {.deadline = std::chrono::steady_clock::now() + 2s}; }

void write_raw(int socket, void const* data, size_t size) {
  QCOMPARE(write(socket, data, size), ssize_t(size));
}

QString code_of(auto const& result) {
  return result ? QString("none") : QString::fromStdString(result.error().code);
}

wire::Response ask(ChildProcess& child, wire::Request const& request) {
  wire::Response response;
  if (send_frame(child.socket(), FrameKind::kMessage, request.SerializeAsString(), soon())) {
    response.ParseFromString(receive_frame(child.socket(), soon()).value().bytes);
  }
  return response;
}

int64_t resident_bytes(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096;
}

ChildProcess start_child() {
  return ChildProcess::start({testing::built("/bin/tw-device")}).value();
}

}  // namespace

class ChannelTest : public QObject {
  Q_OBJECT
private slots:
  void a_frame_arrives_as_it_was_sent() {
    Pair pair;
    QVERIFY(send_frame(pair.ends[0], FrameKind::kMessage, "hello", soon()));
    Frame frame = receive_frame(pair.ends[1], soon()).value();
    QCOMPARE(QString::fromStdString(frame.bytes), QString("hello"));
  }

  void a_frame_that_claims_too_much_is_refused_before_it_is_read() {
    Pair pair;
    FrameHeader header{.length = 0xFFFFFFFF};
    write_raw(pair.ends[0], &header, sizeof header);
    auto refused = receive_frame(pair.ends[1], soon());
    QCOMPARE(code_of(refused), QString("frame_too_large"));
    QVERIFY(refused.error().message.starts_with("a message claims to have 4294967295 bytes"));
  }

  void other_bytes_are_no_frame() {
    Pair pair;
    write_raw(pair.ends[0], "GET / HTTP/1.1\r\n", 16);
    QCOMPARE(code_of(receive_frame(pair.ends[1], soon())), QString("malformed_frame"));
  }

  void what_a_frame_only_claims_takes_no_memory() {
    qunsetenv("MALLOC_PERTURB_");  // it would write over memory that is only asked for
    ChildProcess child = start_child();
    wire::Request describe;
    describe.mutable_describe();
    QVERIFY(ask(child, describe).has_hardware());  // it has begun
    int64_t before = resident_bytes(child.pid());
    FrameHeader header{.length = kMostFrameBytes};
    write_raw(child.socket(), &header, sizeof header);
    write_raw(child.socket(), "some bytes", 10);
    QTest::qWait(100);
    QVERIFY(resident_bytes(child.pid()) - before < 2 << 20);
  }

  void a_message_for_which_there_is_no_memory_has_an_answer() {
    ChildProcess child = start_child();
    wire::Request small, large;
    small.mutable_allocate()->set_bytes(1000);
    int64_t tensor = ask(child, small).handle();
    QVERIFY(tensor > 0);
    rlimit little{12 << 20, 12 << 20};
    QCOMPARE(prlimit(child.pid(), RLIMIT_DATA, &little, nullptr), 0);
    large.mutable_write()->set_tensor(tensor);
    large.mutable_write()->set_data(std::string(24 << 20, 'x'));
    for (int i = 0; i < 3; ++i) {
      QCOMPARE(QString::fromStdString(ask(child, large).failure().code()),
               QString("out_of_memory"));
      wire::Request write = large;
      write.mutable_write()->set_data("x");
      QVERIFY(ask(child, write).has_done());  // and the next one is served
    }
    QVERIFY(child.running());
  }

  void a_frame_cut_short_is_a_closed_connection() {
    Pair pair;
    FrameHeader header{.length = 100};
    write_raw(pair.ends[0], &header, sizeof header);
    shutdown(pair.ends[0], SHUT_WR);
    QCOMPARE(code_of(receive_frame(pair.ends[1], soon())), QString("connection_closed"));
  }

  void a_wait_ends_at_its_deadline() {
    Pair pair;
    WaitLimit limit{.deadline = std::chrono::steady_clock::now() + 30ms};
    QCOMPARE(code_of(receive_frame(pair.ends[1], limit)), QString("timed_out"));
  }

  void a_device_that_gets_junk_ends_with_code_3() {
    ChildProcess child = start_child();
    write_raw(child.socket(), "nonsense nonsense", 17);
    int status = child.wait_for_end();
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 3);
  }

  void a_device_that_gets_a_frame_of_junk_ends_with_code_3() {
    ChildProcess child = start_child();
    QVERIFY(send_frame(child.socket(), FrameKind::kMessage, "\xff\xff\xff\xff", soon()));
    QCOMPARE(WEXITSTATUS(child.wait_for_end()), 3);
  }

  void a_device_in_an_endless_kernel_ends_when_its_client_goes_away() {
    ChildProcess child = start_child();
    auto library = test::build_library(test::common_kernels()).value();
    wire::Request load, run;
    load.set_load_library(library.data(), library.size());
    int64_t handle = ask(child, load).handle();
    wire::Step& step = *run.mutable_run()->add_steps();
    step.set_library(handle);
    step.set_symbol("hang_alone");
    run.mutable_run()->set_threads(2);
    QVERIFY(send_frame(child.socket(), FrameKind::kMessage, run.SerializeAsString(), soon()));
    QTest::qWait(50);
    QVERIFY(child.running());
    shutdown(child.socket(), SHUT_RDWR);
    QTRY_VERIFY_WITH_TIMEOUT(!child.running(), 5000);
    QVERIFY(WIFEXITED(child.end()));
  }

  void hardware_reads_back_from_its_text() {
    Hardware host = detect_host();
    QVERIFY(parse_hardware(to_json_text(host)).value() == host);
    for (char const* bad : {"", "{", "[]", "{\"name\": 3}", "null"}) {
      QCOMPARE(code_of(parse_hardware(bad)), QString("bad_hardware_text"));
      QCOMPARE(code_of(parse_roofs(bad)), QString("bad_roofs_text"));
    }
  }
};

QTEST_GUILESS_MAIN(ChannelTest)
#include "channel_test.moc"
