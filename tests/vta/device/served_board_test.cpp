// Boards that are served to other machines: what they compute and how long it takes, and each way
// in which one can fail.
#include <signal.h>

#include <QTemporaryDir>
#include <QtTest>

#include "app/shared/devices.h"
#include "engine/device/local_device.h"
#include "engine/device/rpc/remote_device.h"
#include "engine/device/rpc/tokens.h"
#include "engine/session/use_cases.h"
#include "tests/device/changing_line.h"
#include "tests/device/cut_line.h"
#include "tests/device/test_server.h"
#include "tests/support/paths.h"
#include "tests/vta/device/board_bench.h"

using namespace tw;
using namespace std::chrono_literals;
using Bench = test::BoardBench;
using test::AtWord;
using test::TestServer;

namespace {

/// What a library for the accelerator begins with, as it travels.
constexpr char kUpload[] = "tilewright vta kernel";

/// The product's server as a board; or, with boards that are emulated.
std::unique_ptr<TestServer> serve(QString const& target) {
  return std::make_unique<TestServer>(QStringList{"--target", target});
}
std::unique_ptr<TestServer> serve_emulated(QString const& kind) {
  return std::make_unique<TestServer>(
      QStringList{"--target", "vta:" + kind}, "127.0.0.1:0",
      QStringList{testing::built("/tests/emulated_boards/tw-device"), "serve"});
}

std::unique_ptr<Device> connect_to(TestServer const& server) {
  return RemoteDevice::create({.address = server.address()}).value();
}
/// Over a line on another port: nothing here tells which token it wants.
std::unique_ptr<Device> connect_over(std::string const& address, TestServer const& server) {
  return RemoteDevice::create({.address = address, .token = own_token(server.port())}).value();
}

QString words_of(auto const& result) {
  return result ? QString("none") : QString::fromStdString(to_sentence(result.error()));
}
uint64_t expected_hash() {
  auto device = std::make_unique<LocalDevice>(
      LocalDeviceOptions{.program = testing::built("/bin/tw-device"), .target = "vta"});
  return Bench::create(std::move(device)).value().run().value().outputs.at(0).hash();
}

}  // namespace

class ServedBoardTest : public QObject {
  Q_OBJECT
private slots:
  void a_served_simulator_computes_and_takes_what_the_one_here_does_data() {
    QTest::addColumn<QString>("target");
    for (char const* target : {"vta", "vta:pynq", "vta:ultra96"}) QTest::newRow(target) << target;
  }
  void a_served_simulator_computes_and_takes_what_the_one_here_does() {
    QFETCH(QString, target);
    auto server = serve(target);
    QVERIFY2(!server->address().empty(), qPrintable(server->said()));
    auto there = Bench::create(connect_to(*server));
    QVERIFY2(there, qPrintable(words_of(there)));
    LocalDeviceOptions local{.program = testing::built("/bin/tw-device"),
                             .target = target.toStdString()};
    auto here = Bench::create(std::make_unique<LocalDevice>(local));
    QVERIFY2(here, qPrintable(words_of(here)));
    auto ran_there = there->run(), ran_here = here->run();
    QVERIFY2(ran_there && ran_here, qPrintable(words_of(ran_there) + words_of(ran_here)));
    QVERIFY(ran_there->outputs[0].hash() == ran_here->outputs[0].hash());
    QVERIFY(ran_there->samples_ms.at(0) > 0.01);
    QCOMPARE(ran_there->samples_ms, ran_here->samples_ms);  // of the model, not of a clock
  }

  void a_schedule_by_hand_is_judged_and_timed_there() {
    auto server = serve("vta:pynq");
    Bench bench = Bench::create(connect_to(*server)).value();
    auto checked = session::check_script(*bench.model, 0, bench.options.scripts.at(0), "script",
                                         *bench.backend, *bench.device, {.measure = true});
    QVERIFY2(checked, qPrintable(words_of(checked)));
    QVERIFY(checked->compared && checked->comparison.equal);
    QCOMPARE(*checked->scheduled_ms, bench.run().value().samples_ms.at(0));
  }

  /// As the window and the command line find it.
  void a_served_board_in_the_list_can_be_chosen() {
    auto server = serve("vta:pynq");
    QTemporaryDir folder;
    std::filesystem::path list = folder.filePath("devices.json").toStdString();
    DeviceEntry entry{.name = "board", .address = server->address()};
    QVERIFY(add_checked_device(list, entry));
    DeviceState state = ask_device(entry, {folder.path().toStdString()});
    QVERIFY2(state.hardware, state.failure ? to_sentence(*state.failure).c_str() : "");
    QVERIFY2(machine_text(*state.hardware).starts_with("VTA pynq, "),
             machine_text(*state.hardware).c_str());
    QVERIFY(!state.has_roofs);
    auto chosen = choose_device(list, "board", {});
    QVERIFY2(chosen, qPrintable(words_of(chosen)));
    QCOMPARE(QString::fromStdString(chosen->backend->target().name), QString("vta"));
  }

  void a_board_computes_the_same_however_late_its_flag_comes_data() {
    QTest::addColumn<QString>("kind");
    for (char const* kind : {"healthy", "late"}) QTest::newRow(kind) << kind;
  }
  void a_board_computes_the_same_however_late_its_flag_comes() {
    QFETCH(QString, kind);
    auto server = serve_emulated(kind);
    QVERIFY2(!server->address().empty(), qPrintable(server->said()));
    auto bench = Bench::create(connect_to(*server));
    QVERIFY2(bench, qPrintable(words_of(bench)));
    auto ran = bench->run();
    QVERIFY2(ran, qPrintable(words_of(ran)));
    QVERIFY(ran->outputs[0].hash() == expected_hash());
  }

  void a_fault_is_a_sentence_and_the_device_serves_on_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("lost interrupt") << "lost-interrupt"
                                    << "accelerator_timed_out"
                                    << "within 200 ms: all were fetched, and one of them waits";
    QTest::newRow("error of the DMA") << "no-dma"
                                      << "accelerator_timed_out"
                                      << "they were not all fetched from 0x";
    QTest::newRow("memory that forgets") << "bad-memory"
                                         << "corrupted_upload"
                                         << "memory does not hold what is put there";
  }
  void a_fault_is_a_sentence_and_the_device_serves_on() {
    QFETCH(QString, kind);
    QFETCH(QString, code);
    QFETCH(QString, sentence);
    auto server = serve_emulated(kind);
    QVERIFY2(!server->address().empty(), qPrintable(server->said()));
    for (int client = 0; client < 2; ++client) {
      auto bench = Bench::create(connect_to(*server));
      QVERIFY2(bench, qPrintable(words_of(bench)));
      QElapsedTimer clock;
      clock.start();
      auto failed = bench->run();
      QVERIFY(!failed && clock.elapsed() < 20'000);
      QCOMPARE(QString::fromStdString(failed.error().code), code);
      QVERIFY2(words_of(failed).contains(sentence), qPrintable(words_of(failed)));
      QVERIFY(!words_of(failed).contains('\n'));
    }
    QVERIFY(server->process().state() == QProcess::Running);
  }

  /// A board that hangs is not started again before somebody has loaded its bitstream.
  void a_board_that_hangs_says_so_to_the_next_run() {
    auto server = serve_emulated("lost-interrupt");
    Bench bench = Bench::create(connect_to(*server)).value();
    QVERIFY(!bench.run());
    auto again = bench.run();
    QVERIFY(!again);
    QCOMPARE(QString::fromStdString(again.error().code), QString("accelerator_busy"));
    QVERIFY2(words_of(again).contains("must be loaded again"), qPrintable(words_of(again)));
  }

  void a_line_cut_in_the_middle_of_a_run_is_a_sentence_and_the_device_serves_on() {
    auto server = serve_emulated("silent");
    test::CutLine line(server->port());
    Bench bench = Bench::create(connect_over(line.address(), *server)).value();
    pid_t worker = server->workers().back();
    std::jthread cutter([&] {
      std::this_thread::sleep_for(500ms);
      line.cut();
    });
    QElapsedTimer clock;
    clock.start();
    auto lost = bench.run();
    QCOMPARE(words_of(lost), QString::fromStdString("the connection to the device at " +
                                                    line.address() + " was lost"));
    QVERIFY(clock.elapsed() < 20'000);
    QTRY_COMPARE(kill(worker, 0), -1);  // nobody waits for that run any more
    QVERIFY(bench.device->describe({}));
  }

  void an_upload_that_changes_on_its_way_is_noticed() {
    auto server = serve("vta:pynq");
    test::ChangingLine line(server->port());
    Bench bench = Bench::create(connect_over(line.address(), *server)).value();
    line.arm(kUpload, AtWord::kChangesTheNextByte);
    auto failed = bench.run();
    QVERIFY(line.met());
    QVERIFY2(words_of(failed).contains("what it was sent was changed on its way: the network in "
                                       "between is faulty"),
             qPrintable(words_of(failed)));
    QVERIFY(bench.run().value().outputs[0].hash() == expected_hash());  // a new upload is whole
  }

  void an_answer_that_changes_on_its_way_is_noticed() {
    auto server = serve("vta:pynq");
    test::ChangingLine line(server->port());
    auto device = connect_over(line.address(), *server);
    line.arm("VTA pyn", AtWord::kChangesTheNextByte);
    auto failed = device->describe({});
    QVERIFY(line.met());
    QCOMPARE(words_of(failed),
             QString::fromStdString("an answer of the device at " + line.address() +
                                    " was changed on its way: the network in "
                                    "between is faulty"));
    QVERIFY(device->describe({}));
  }

  void an_upload_that_ends_on_its_way_is_a_lost_connection() {
    auto server = serve("vta:pynq");
    test::ChangingLine line(server->port());
    Bench bench = Bench::create(connect_over(line.address(), *server)).value();
    line.arm(kUpload, AtWord::kEnds);
    auto failed = bench.run();
    QVERIFY(line.met());
    QCOMPARE(words_of(failed), QString::fromStdString("the connection to the device at " +
                                                      line.address() + " was lost"));
    QVERIFY(bench.run().value().outputs[0].hash() == expected_hash());
  }

  void a_library_that_is_no_kernel_of_a_board_is_refused() {
    auto server = serve("vta:pynq");
    auto device = connect_to(*server);
    std::string const text = std::string(kUpload) + " 1\nsymbol conv\nconfiguration name=pynq\nlo";
    auto refused = device->load(std::as_bytes(std::span(text)), {});
    QVERIFY(!refused);
    QCOMPARE(QString::fromStdString(refused.error().code), QString("module_not_loadable"));
    QVERIFY(device->describe({}));
  }

  void a_board_that_is_not_there_is_said_before_anything_is_served() {
    if (QFile::exists("/dev/udmabuf0")) QSKIP("this machine has memory for a board");
    QProcess server;
    server.start(testing::built("/bin/tw-device"), {"serve", "--target", "vta:board-pynq"});
    QVERIFY(server.waitForFinished(20'000));
    QCOMPARE(server.exitCode(), 3);
    QString said = QString::fromUtf8(server.readAllStandardError());
    QVERIFY2(said.startsWith("tw-device: /dev/udmabuf0 gives no memory: "), qPrintable(said));
    QCOMPARE(said.count('\n'), 1);
  }

  /// What stops a process from being a device reaches whoever asks it, not its standard error.
  void a_worker_without_its_board_tells_its_client_why() {
    if (QFile::exists("/dev/udmabuf0")) QSKIP("this machine has memory for a board");
    LocalDevice device({.program = testing::built("/bin/tw-device"), .target = "vta:board-pynq"});
    auto failed = device.describe({});
    QVERIFY(!failed);
    QCOMPARE(QString::fromStdString(failed.error().code), QString("no_such_hardware"));
    QVERIFY2(words_of(failed).startsWith("/dev/udmabuf0 gives no memory: "),
             qPrintable(words_of(failed)));
  }
};

QTEST_GUILESS_MAIN(ServedBoardTest)
#include "served_board_test.moc"
