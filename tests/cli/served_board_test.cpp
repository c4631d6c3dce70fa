// A board on another machine, as somebody uses it from the command line.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "tests/cli/run_program.h"
#include "tests/device/test_server.h"
#include "tests/support/paths.h"
#include "tests/support/vta_conv_text.h"

using namespace command_line;

namespace {

constexpr char const* kKernel = typed_kernels::kConvFile;

QJsonObject object_of(Run const& run) { return QJsonDocument::fromJson(run.out.toUtf8()).object(); }

}  // namespace

class ServedBoardTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    std::ofstream(at("conv.te").toStdString()) << kKernel;
    if (here({"lower", at("conv.te"), "--target", "vta"}).code == 2)
      QSKIP("this build has no target vta");
    server_ = std::make_unique<tw::test::TestServer>(QStringList{"--target", "vta:pynq"});
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
    Run added = here({"devices", "add", "board", QString::fromStdString(server_->address())});
    QVERIFY2(added.code == 0, qPrintable(added.err));
    QVERIFY2(added.out.contains("VTA pynq"), qPrintable(added.out));
    QVERIFY2(!added.out.contains("roofs"), qPrintable(added.out));  // it has none to measure
  }
  void cleanupTestCase() { server_.reset(); }

  void a_schedule_by_hand_is_checked_there_and_takes_what_the_model_says() {
    if (!server_) QSKIP("there is no board");
    Run script =
        here({"lower", at("conv.te"), "--target", "vta", "--default", "--stage", "script"});
    QVERIFY2(script.code == 0, qPrintable(script.err));
    std::ofstream(at("conv.tws").toStdString()) << script.out.toStdString();
    QStringList const check{"check", at("conv.te"), "--script", at("conv.tws"), "--time"};
    Run there = here(check + QStringList{"--device", "board"});
    QVERIFY2(there.code == 0, qPrintable(there.err));
    QVERIFY2(there.out.contains("output right: largest difference 0"), qPrintable(there.out));
    QCOMPARE(there.out, here(check + QStringList{"--device", "local:vta"}).out);
  }

  /// As in the window: the plain nest, which such a device does not run, is no error beside it.
  void a_session_goes_there_and_a_schedule_by_hand_is_right() {
    if (!server_) QSKIP("there is no board");
    Run script =
        here({"lower", at("conv.te"), "--target", "vta", "--default", "--stage", "script"});
    QStringList steps = script.out.trimmed().split('\n').mid(2);  // behind the kind and the kernel
    std::ofstream(at("hand.journal").toStdString())
        << "tilewright journal 1\ndevice board\nopen " << at("conv.te").toStdString() << "\nstep "
        << steps.join("; ").toStdString()
        << "\nexpect device = board\nexpect device.timeline = yes\nexpect state = correct\n"
           "expect error = none\nexpect kernel.time > 0.01\n";
    Run played = here({"journal", "check", at("hand.journal")});
    QVERIFY2(played.code == 0, qPrintable(played.err));
  }

  void trials_of_the_tuner_take_what_the_model_says() {
    if (!server_) QSKIP("there is no board");
    auto trials_on = [&](QString const& device) {
      Run run = here(
          {"tune", at("conv.te"), "--device", device, "--trials", "3", "--no-store", "--json"});
      return run.out.split('\n').filter("\"trial\":");
    };
    QStringList there = trials_on("board"), local = trials_on("local:vta");
    QCOMPARE(there.size(), 3);
    for (QString const& trial : there)
      QVERIFY2(trial.contains("\"class\":\"ok\""), qPrintable(trial));
    QCOMPARE(there[0], local[0]);  // by rule; which come next depends on what is there in time
  }

  /// What it computes is the same, bit by bit, wherever its kernels run.
  void a_network_of_bytes_runs_there_as_far_as_it_can() {
    if (!server_) QSKIP("there is no board");
    Run made = here({"quantize", "sample:dqn", "--out", at("model.onnx"), "--runs", "1"});
    QVERIFY2(made.code == 0, qPrintable(made.err));
    QStringList const run{"run", at("model.onnx"), "--rounds", "1", "--json"};
    Run home = here(run), there = here(run + QStringList{"--offload", "board"});
    QVERIFY2(home.code == 0, qPrintable(home.err));
    QVERIFY2(there.code == 0, qPrintable(there.err));
    QVERIFY(!object_of(home)["outputs"].toArray().isEmpty());
    QCOMPARE(object_of(there)["outputs"], object_of(home)["outputs"]);
    Run told = here({"run", at("model.onnx"), "--rounds", "1", "--offload", "board"});
    QVERIFY2(told.out.contains(QRegularExpression("conv_integer\\S+ +board\n")),
             qPrintable(told.out));
  }

  /// It still answers, so nobody waits for it to come back.
  void a_board_that_hangs_ends_a_search_in_time() {
    if (!server_) QSKIP("there is no board");
    tw::test::TestServer hangs({"--target", "vta:lost-interrupt"}, "127.0.0.1:0",
                               {tw::testing::built("/tests/emulated_boards/tw-device"), "serve"});
    QVERIFY2(!hangs.address().empty(), qPrintable(hangs.said()));
    QCOMPARE(here({"devices", "add", "hangs", QString::fromStdString(hangs.address())}).code, 0);
    Run run = here({"tune", at("conv.te"), "--device", "hangs", "--trials", "3", "--no-store"});
    // What the board does is no fault of the kernel: the search ends with the board's own reason.
    QCOMPARE(run.code, 3);
    QVERIFY2(run.out.contains("timeout: the accelerator did not finish"), qPrintable(run.out));
    QVERIFY2(run.err.contains("no device has made a trial") &&
                 run.err.contains("its bitstream must be loaded again"),
             qPrintable(run.err));
  }

  void a_board_that_nobody_knows_is_not_served() {
    Run run = here({"device", "serve", "--target", "vta:abacus"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("'abacus'; the boards are pynq"), qPrintable(run.err));
  }

  /// Last: the server goes.
  void a_board_that_went_away_is_a_sentence() {
    if (!server_) QSKIP("there is no board");
    server_.reset();
    Run run = here({"run", at("conv.te"), "--device", "board", "--default"});
    QCOMPARE(run.code, 3);
    QVERIFY2(run.err.contains("cannot be reached: nothing listens there"), qPrintable(run.err));
    QCOMPARE(run.err.count('\n'), 1);
  }

private:
  QString at(QString const& name) const { return folder_.filePath(name); }
  /// With a list of devices of its own.
  Run here(QStringList const& arguments) const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TW_CONFIG_DIR", folder_.path());
    return run_program(tw::testing::built("/bin/tw"), arguments, environment);
  }

  QTemporaryDir folder_;
  std::unique_ptr<tw::test::TestServer> server_;
};

QTEST_GUILESS_MAIN(ServedBoardTest)
#include "served_board_test.moc"
