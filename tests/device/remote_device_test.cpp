// The cases of every device, with a server on this machine at the other end of gRPC; then what a
// network adds: servers that end, lines that are cut, clients that crowd.
#include "engine/device/rpc/remote_device.h"
#include "engine/device/requests/status.h"

#include <QTcpServer>
#include <QTcpSocket>
#include <QtTest>

#include "engine/device/rpc/address.h"
#include "engine/device/rpc/tokens.h"
#include "engine/device/sandbox/sandbox.h"
#include "tests/device/cut_line.h"
#include "tests/device/device_cases.h"
#include "tests/device/test_server.h"

using namespace tw;
using namespace std::chrono_literals;
using test::Bench;
using test::TestServer;

namespace {

std::unique_ptr<RemoteDevice> connect_to(std::string const& address) {
  return RemoteDevice::create({.address = address}).value();
}

/// Over a line on another port: nothing here tells which token it wants.
std::unique_ptr<RemoteDevice> connect_over(test::CutLine const& line, TestServer const& server,
                                           std::chrono::milliseconds silence = 20s) {
  return RemoteDevice::create(
             {.address = line.address(), .token = own_token(server.port()), .silence = silence})
      .value();
}

QString words_of(auto const& result) {
  return result ? QString("none") : QString::fromStdString(result.error().message);
}
QString code(auto const& result) {
  return result ? QString("none") : QString::fromStdString(result.error().code);
}

}  // namespace

class RemoteDeviceTest : public test::DeviceCases {
  Q_OBJECT
protected:
  std::unique_ptr<WireDevice> make_device() override { return connect_to(server_->address()); }
  pid_t worker(WireDevice&) override { return server_->workers().back(); }

private slots:
  void initTestCase() {
    server_ = std::make_unique<TestServer>();
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
  }
  void cleanupTestCase() { server_.reset(); }

  void a_server_that_is_killed_is_said_and_a_new_one_is_found_by_itself() {
    auto server = std::make_unique<TestServer>();
    QString address = QString::fromStdString(server->address());
    Bench bench(connect_to(server->address()));
    QVERIFY(bench.prepare());
    DeviceStep hang = bench.step("hang", {bench.a});
    pid_t server_pid = server->pid(), worker_pid = server->workers().back();
    std::jthread killer([&] {
      std::this_thread::sleep_for(200ms);
      kill(server_pid, SIGKILL);
    });
    QElapsedTimer clock;
    clock.start();
    Status lost = bench.run(hang);
    QCOMPARE(code(lost), QString("device_lost"));
    QCOMPARE(words_of(lost), "the connection to the device at " + address + " was lost");
    QVERIFY(clock.elapsed() < 5000);
    QTRY_COMPARE(kill(worker_pid, 0), -1);  // the hanging kernel does not outlive its server
    auto nothing = bench.device.describe({});
    QCOMPARE(code(nothing), QString("device_unavailable"));
    QCOMPARE(words_of(nothing),
             "the device at " + address + " cannot be reached: nothing listens there");
    server.reset();
    TestServer second({}, address);
    QVERIFY2(!second.address().empty(), qPrintable(second.said()));
    QCOMPARE(code(bench.run(bench.step("add", {bench.a, bench.b, bench.c}))),
             QString("device_restarted"));
    QVERIFY(bench.prepare());
    QVERIFY(bench.run(bench.step("add", {bench.a, bench.b, bench.c})));
  }

  void a_line_that_is_cut_is_said_and_made_again() {
    test::CutLine line(server_->port());
    Bench bench(connect_over(line, *server_));
    QVERIFY(bench.prepare());
    DeviceStep hang = bench.step("hang", {bench.a});
    pid_t child = worker(bench.device);
    std::jthread cutter([&] {
      std::this_thread::sleep_for(200ms);
      line.cut();
    });
    Status lost = bench.run(hang);
    QCOMPARE(words_of(lost), QString::fromStdString("the connection to the device at " +
                                                    line.address() + " was lost"));
    QTRY_COMPARE(kill(child, 0), -1);  // nobody waits for that kernel any more
    QCOMPARE(code(bench.run(hang)), QString("device_restarted"));
    QVERIFY(bench.prepare());
    QVERIFY(bench.run(bench.step("add", {bench.a, bench.b, bench.c})));
  }

  void a_line_that_is_cut_while_idle_costs_only_the_tensors() {
    test::CutLine line(server_->port());
    Bench bench(connect_over(line, *server_));
    QVERIFY(bench.prepare());
    line.cut();
    QTest::qWait(100);
    QCOMPARE(code(bench.run(bench.step("add", {bench.a, bench.b, bench.c}))),
             QString("device_restarted"));
    QVERIFY(bench.device.free(bench.a));
    QVERIFY(bench.prepare());
  }

  void a_line_that_falls_silent_is_lost_before_the_time_out() {
    test::CutLine line(server_->port());
    Bench bench(connect_over(line, *server_, 2s));
    QVERIFY(bench.prepare());
    line.mute();
    QElapsedTimer clock;
    clock.start();
    Status lost = bench.run(bench.step("hang", {bench.a}));
    QCOMPARE(code(lost), QString("device_lost"));
    QVERIFY2(clock.elapsed() < 15'000, qPrintable(QString::number(clock.elapsed())));
    line.cut();
    QVERIFY(bench.prepare());
  }

  void nobody_there_is_a_sentence_within_the_time_to_connect() {
    test::CutLine line(server_->port());
    line.mute();
    auto device =
        RemoteDevice::create({.address = line.address(), .connect_timeout = 500ms}).value();
    QElapsedTimer clock;
    clock.start();
    auto nothing = device->describe({});
    QCOMPARE(words_of(nothing), QString::fromStdString("the device at " + line.address() +
                                                       " did not answer within 0.5 s"));
    QVERIFY(clock.elapsed() < 5000);
    std::stop_source source;
    auto patient =
        RemoteDevice::create({.address = line.address(), .connect_timeout = 60s}).value();
    std::jthread stopper([&] {
      std::this_thread::sleep_for(100ms);
      source.request_stop();
    });
    clock.restart();
    QCOMPARE(code(patient->describe({.stop = source.get_token(), .timeout = 60s})),
             QString("cancelled"));
    QVERIFY(clock.elapsed() < 5000);
  }

  void what_answers_and_is_no_device_is_a_sentence() {
    QTcpServer other;
    QVERIFY(other.listen(QHostAddress::LocalHost));
    std::jthread talker([&, port = other.serverPort()] {
      auto device = RemoteDevice::create({.address = "127.0.0.1:" + std::to_string(port)}).value();
      auto nothing = device->describe({.timeout = 3s});
      QCOMPARE(code(nothing), QString("device_unavailable"));
      QVERIFY2(!words_of(nothing).contains('\n'), qPrintable(words_of(nothing)));
      qInfo("%s", qPrintable(words_of(nothing)));
    });
    QVERIFY(other.waitForNewConnection(5000));
    other.nextPendingConnection()->write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    QTest::qWait(500);
  }

  void a_call_longer_than_the_device_allows_is_ended_by_the_device() {
    TestServer strict({"--call-seconds", "0.3"});
    Bench bench(connect_to(strict.address()));
    QVERIFY(bench.prepare());
    Status hung = bench.run(bench.step("hang", {bench.a}));
    QCOMPARE(code(hung), QString("kernel_timed_out"));
    QCOMPARE(
        words_of(hung),
        QString("the kernel 'hang' took longer than the 0.3 s that the device allows and was "
                "stopped; `tw device serve --call-seconds N` on the device raises this limit"));
    QVERIFY(bench.prepare());
    QVERIFY(strict.said().contains("took too long"));
  }

  void a_slow_device_is_given_longer_and_a_time_out_says_how() {
    TestServer server;
    auto device = RemoteDevice::create({.address = server.address(), .least_timeout = 2s}).value();
    Bench bench(std::move(device));
    QVERIFY(bench.prepare());
    bench.options.timeout = 50ms;  // what a caller thinks is enough on a fast machine
    auto start = std::chrono::steady_clock::now();
    Status hung = bench.run(bench.step("hang", {bench.a}));
    QVERIFY(std::chrono::steady_clock::now() - start >= 2s);
    QCOMPARE(code(hung), QString("kernel_timed_out"));
    QCOMPARE(words_of(hung),
             QString("the kernel 'hang' did not finish within 2 s and was stopped; `tw devices add "
                     "NAME ADDRESS --timeout SECONDS` gives the device longer"));
  }

  void a_device_tells_its_clock_and_its_load() {
    TestServer server;
    auto device = connect_to(server.address());
    auto status = ask_status(*device, {});
    QVERIFY(status);
    double now = double(QDateTime::currentMSecsSinceEpoch()) / 1e3;
    QVERIFY(std::abs(status->unix_seconds - now) < 5);  // both are this machine's
    QVERIFY(status->uptime_seconds > 0);
    QVERIFY(status->load >= 0);
  }

  void a_client_that_says_nothing_for_long_loses_its_worker() {
    TestServer strict({"--idle-seconds", "0.3"});
    Bench bench(connect_to(strict.address()));
    QVERIFY(bench.prepare());
    QTRY_VERIFY(strict.workers().empty());
    QTRY_COMPARE(code(bench.run(bench.step("add", {bench.a, bench.b, bench.c}))),
                 QString("device_restarted"));
    QVERIFY(bench.prepare());
  }

  void a_worker_takes_no_more_memory_than_its_share() {
    TestServer small({"--memory-mb", "64"});
    auto device = connect_to(small.address());
    QCOMPARE(device->describe({}).value().main_memory_bytes(), int64_t(64) << 20);
    QVERIFY(device->allocate(60 << 20, {}));
    auto refused = device->allocate(8 << 20, {});
    QCOMPARE(code(refused), QString("tensor_too_large"));
    QVERIFY(device->allocate(1 << 20, {}));
    QCOMPARE(device->generation(), uint64_t(1));
  }

  void one_client_too_many_is_told_so_and_may_come_back() {
    TestServer one({"--clients", "1"});
    auto first = connect_to(one.address()), second = connect_to(one.address());
    QVERIFY(first->describe({}));
    auto refused = second->describe({});
    QCOMPARE(words_of(refused), QString::fromStdString("the device at " + one.address() +
                                                       " refused: it already serves 1 clients"));
    QCOMPARE(one.workers().size(), size_t(1));
    first.reset();
    QTRY_VERIFY(second->describe({}));
  }

  void clients_do_not_see_one_another() {
    Bench one(connect_to(server_->address())), two(connect_to(server_->address()));
    QVERIFY(one.prepare() && two.prepare());
    QVERIFY(worker(one.device) > 0 && server_->workers().size() >= 2);
    QCOMPARE(code(one.run(one.step("crash", {}))), QString("kernel_crashed"));
    QVERIFY(two.run(two.step("add", {two.a, two.b, two.c})));
    QCOMPARE(two.device.generation(), uint64_t(1));
  }

  void a_kernel_writes_no_file_and_its_folder_goes() {
    Bench bench(connect_to(server_->address()));
    QVERIFY(bench.prepare());
    auto folder =
        std::filesystem::read_symlink("/proc/" + std::to_string(worker(bench.device)) + "/cwd");
    QVERIFY(std::filesystem::exists(folder));
    auto bytes = test::build_library(test::writing_kernels());
    if (bytes && open_ways().empty()) {  // its kernels call the system: written for x86-64 only
      LibraryHandle library = bench.device.load(*bytes, {}).value();
      for (char const* symbol : {"write_elsewhere", "write_here"}) {
        DeviceStep step{.library = library, .symbol = symbol};
        QCOMPARE(words_of(bench.run(step)),
                 QString("the kernel '%1' stopped with code 1").arg(symbol));  // EPERM
      }
      QVERIFY(std::filesystem::is_empty(folder));
    }
    bench.owner.reset();
    QTRY_VERIFY(!std::filesystem::exists(folder));
  }

  void a_stopped_server_leaves_no_process_and_no_folder() {
    pid_t child = -1;
    std::filesystem::path folder;
    auto server = std::make_unique<TestServer>();
    Bench bench(connect_to(server->address()));
    QVERIFY(bench.prepare());
    child = server->workers().back();
    folder = std::filesystem::read_symlink("/proc/" + std::to_string(child) + "/cwd");
    server->process().terminate();
    QVERIFY(server->process().waitForFinished(5000));
    QCOMPARE(server->process().exitCode(), 0);
    QTRY_COMPARE(kill(child, 0), -1);
    QVERIFY(!std::filesystem::exists(folder));
  }

  void addresses_are_read_or_refused() {
    for (char const* good : {"127.0.0.1:1", "localhost:80", "[::1]:65535", "127.9.9.9:7"})
      QVERIFY2(parse_address(good).value().loopback, good);
    for (char const* far :
         {"0.0.0.0:1", "board.local:80", "[fe80::1]:7", "10.0.0.1:7", "[::]:1", "0x7f.1:5"})
      QVERIFY2(!parse_address(far).value().loopback, far);
    for (char const* bad :
         {"", ":", "1", "host", "host:", "host:99999", "host:1x", ":5", "::1:5", "unix:/tmp/x:5",
          "a/b:5", "[::1:5", "12345:7", "127.1:5", "127.0.0.1.evil com:5", "host:-1"})
      QVERIFY2(code(parse_address(bad)) == "bad_address", bad);
    QCOMPARE(QString::fromStdString(to_text(*parse_address("[::1]:5"))), QString("[::1]:5"));
  }

private:
  std::unique_ptr<TestServer> server_;
};

QTEST_GUILESS_MAIN(RemoteDeviceTest)
#include "remote_device_test.moc"
