// What comes through to a driver's process, and what does not: a client may send anything.
#include "engine/device/driver_relay.h"

#include <sys/socket.h>
#include <unistd.h>

#include <QtTest>
#include <limits>
#include <thread>

#include "engine/device/channel.h"
#include "engine/device/messages.pb.h"
#include "engine/support/base/random.h"

using namespace tw;
using namespace std::chrono_literals;

namespace {

/// The relay in a thread, between two sockets whose other ends the test holds.
class Relay {
public:
  Relay() {
    for (auto* ends : {client_, driver_})
      if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) qFatal("no sockets");
    thread_ = std::jthread([this] {
      ended_ = relay_to_driver(client_[1], driver_[1], profile_);
      for (int socket : {client_[1], driver_[1]}) shutdown(socket, SHUT_RDWR);
    });
  }
  ~Relay() {
    for (int socket : {client_[0], driver_[0]}) shutdown(socket, SHUT_RDWR);
    thread_.join();
    for (int socket : {client_[0], client_[1], driver_[0], driver_[1]}) close(socket);
  }

  int client() const { return client_[0]; }
  int driver() const { return driver_[0]; }
  /// How it ended, after one of its ends was closed.
  std::string code() {
    thread_.join();
    thread_ = std::jthread([] {});
    return ended_ ? "" : ended_.error().code;
  }
  void close_client() { shutdown(client(), SHUT_RDWR); }
  void close_driver() { shutdown(driver(), SHUT_RDWR); }

  bool say(wire::Request const& request) { return say(request.SerializeAsString()); }
  bool say(std::string const& bytes, FrameKind kind = FrameKind::kMessage) {
    return send_frame(client(), kind, bytes, {}).has_value();
  }

private:
  DriverProfile profile_{.check_library = [](std::span<std::byte const> library) -> Status {
    if (!library.empty()) return {};
    return bad_input("module_not_loadable", "there is nothing in it");
  }};
  int client_[2] = {}, driver_[2] = {};
  Status ended_;
  std::jthread thread_;
};

WaitLimit soon() { return {.deadline = std::chrono::steady_clock::now() + 5s}; }

/// The code of a failure that came; the kind of another frame; empty: nothing came.
std::string answer_at(int socket, std::chrono::milliseconds within = 5s) {
  Result<Frame> frame =
      receive_frame(socket, {.deadline = std::chrono::steady_clock::now() + within});
  wire::Response response;
  if (!frame) return "";
  if (!response.ParseFromString(frame->bytes)) return "unreadable";
  return response.has_failure() ? response.failure().code() : std::to_string(uint32_t(frame->kind));
}

wire::Request run_of(int threads) {
  wire::Request request;
  request.mutable_run()->set_threads(threads);
  return request;
}

}  // namespace

class DriverRelayTest : public QObject {
  Q_OBJECT
private slots:
  void a_request_and_its_answers_go_through() {
    Relay relay;
    QVERIFY(relay.say(run_of(3)));
    Frame asked = receive_frame(relay.driver(), soon()).value();
    wire::Request request;
    QVERIFY(request.ParseFromString(asked.bytes) && request.run().threads() == 3);
    for (FrameKind kind : {FrameKind::kPart, FrameKind::kPart, FrameKind::kMessage}) {
      QVERIFY(send_frame(relay.driver(), kind, "answer", {}));
      Frame answer = receive_frame(relay.client(), soon()).value();
      QVERIFY(answer.kind == kind && answer.bytes == "answer");
    }
    QVERIFY(relay.say(run_of(1)));
    QVERIFY(receive_frame(relay.driver(), soon()));
  }

  void what_is_wrong_whatever_the_device_holds_never_reaches_it_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("code");
    auto row = [](char const* name, wire::Request const& request, char const* code) {
      QTest::newRow(name) << QByteArray::fromStdString(request.SerializeAsString())
                          << QString(code);
    };
    wire::Request request;
    row("nothing is asked", request, "unknown_request");
    row("no threads", run_of(0), "bad_thread_count");
    row("many threads", run_of(1 << 20), "bad_thread_count");
    request = run_of(1);
    for (int i = 0; i < (1 << 16) + 1; ++i) request.mutable_run()->add_steps();
    row("many steps", request, "too_many_steps");
    request.mutable_load_library();
    row("an empty library", request, "module_not_loadable");
    request.mutable_load_network()->set_description("{");
    row("half a network", request, "bad_package");
    *request.mutable_time()->mutable_run() = run_of(1).run();
    request.mutable_time()->set_most_seconds(std::numeric_limits<double>::quiet_NaN());
    row("a time that is no number", request, "bad_timing");
    *request.mutable_trial()->mutable_time()->mutable_run() = run_of(0).run();
    row("a trial without threads", request, "bad_thread_count");
    *request.mutable_trial()->mutable_time()->mutable_run() = run_of(1).run();
    row("a trial without a library", request, "module_not_loadable");
    *request.mutable_trials()->add_trials()->mutable_time()->mutable_run() = run_of(1).run();
    row("one of several without a library", request, "module_not_loadable");
    QTest::newRow("a newer request")
        << QByteArray("\xFA\x3F\x01x", 4) << QString("unknown_request");
  }
  void what_is_wrong_whatever_the_device_holds_never_reaches_it() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, code);
    Relay relay;
    QVERIFY(relay.say(bytes.toStdString()));
    QCOMPARE(QString::fromStdString(answer_at(relay.client())), code);
    QVERIFY(relay.say(run_of(1)));  // and the next one is the first that the driver gets
    wire::Request request;
    QVERIFY(request.ParseFromString(receive_frame(relay.driver(), soon()).value().bytes));
    QVERIFY(request.has_run() && request.run().threads() == 1 && request.run().steps_size() == 0);
  }

  void what_is_no_request_ends_it_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("kind");
    QTest::newRow("no message") << QByteArray("\xFF\xFF\xFF") << int(FrameKind::kMessage);
    QTest::newRow("a crash") << QByteArray() << int(FrameKind::kCrash);
    QTest::newRow("a part") << QByteArray() << int(FrameKind::kPart);
  }
  void what_is_no_request_ends_it() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, kind);
    Relay relay;
    QVERIFY(relay.say(bytes.toStdString(), FrameKind(kind)));
    QCOMPARE(relay.code(), std::string("malformed_frame"));
    QCOMPARE(answer_at(relay.driver(), 100ms), std::string());
  }

  void a_second_request_before_the_answer_ends_it() {
    Relay relay;
    QVERIFY(relay.say(run_of(1)) && relay.say(run_of(1)));
    QCOMPARE(relay.code(), std::string("malformed_frame"));
  }

  void a_flood_of_stops_is_one_stop() {
    Relay relay;
    QVERIFY(relay.say("", FrameKind::kStop));  // of nothing
    QVERIFY(relay.say(run_of(1)));
    for (int i = 0; i < 100'000; ++i) QVERIFY(relay.say("", FrameKind::kStop));
    QVERIFY(send_frame(relay.driver(), FrameKind::kMessage, std::string(20 << 20, 'a'), soon()));
    QVERIFY(receive_frame(relay.client(), soon()));
    QVERIFY(receive_frame(relay.driver(), soon())->kind == FrameKind::kMessage);
    QVERIFY(receive_frame(relay.driver(), soon())->kind == FrameKind::kStop);
    QCOMPARE(receive_frame(relay.driver(), {.deadline = std::chrono::steady_clock::now() + 50ms})
                 .error()
                 .code,
             std::string("timed_out"));
  }

  void whoever_goes_first_is_told_apart() {
    Relay one, two, three;
    one.close_client();
    QCOMPARE(one.code(), std::string("connection_closed"));
    two.close_driver();
    QCOMPARE(two.code(), std::string("device_lost"));
    // A crash that was reported comes through before that.
    QVERIFY(three.say(run_of(1)));
    QVERIFY(receive_frame(three.driver(), soon()));
    QVERIFY(send_frame(three.driver(), FrameKind::kCrash, "report", {}));
    three.close_driver();
    QVERIFY(receive_frame(three.client(), soon())->kind == FrameKind::kCrash);
    QCOMPARE(three.code(), std::string("device_lost"));
  }

  /// Whatever comes through is a request, and nothing comes through twice.
  void random_frames_come_through_as_requests_or_not_at_all() {
    constexpr uint64_t kSeed = 17;
    Rng rng(kSeed);
    wire::Request request;
    *request.mutable_time()->mutable_run() = run_of(2).run();
    request.mutable_time()->mutable_run()->add_steps()->set_symbol("kernel");
    std::string const good = request.SerializeAsString();
    int through = 0, refused = 0, ended = 0;
    for (int i = 0; i < 2000; ++i) {
      Relay relay;
      std::string bytes = good;
      for (int64_t n = rng.below(2); n >= 0; --n)
        bytes[size_t(rng.below(int64_t(bytes.size())))] = char(rng.below(256));
      if (rng.below(8) == 0) bytes.resize(size_t(rng.below(int64_t(bytes.size()))));
      QVERIFY(relay.say(bytes));
      relay.say("", FrameKind::kStop);
      shutdown(relay.client(), SHUT_WR);
      (void)relay.code();
      Result<Frame> got = receive_frame(relay.driver(), soon());
      if (got) QVERIFY2(request.ParseFromString(got->bytes), qPrintable(QString::number(kSeed)));
      if (got) ++through;
      std::string answer = got ? "" : answer_at(relay.client());
      if (!got) ++(answer.empty() ? ended : refused);
    }
    qInfo("%d came through, %d were refused, %d ended it", through, refused, ended);
    QVERIFY(through > 100 && refused > 50 && ended > 100);
  }
};

QTEST_GUILESS_MAIN(DriverRelayTest)
#include "driver_relay_test.moc"
