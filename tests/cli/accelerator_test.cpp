// Kernels and networks on the simulated accelerator, as somebody types them.
#include <QtTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "tests/cli/run_program.h"
#include "tests/support/paths.h"
#include "tests/support/vta_conv_text.h"

using namespace command_line;

namespace {

constexpr char const* kKernel = typed_kernels::kTypedConv;

QString hash_in(Run const& run) {
  QJsonObject json = QJsonDocument::fromJson(run.out.toUtf8()).object();
  return json["outputs"].toArray()[0].toObject()["hash"].toString();
}

}  // namespace

class AcceleratorTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    Run run = run_tw({"lower", kKernel, "--target", "vta"});
    if (run.code == 2) QSKIP("this build has no target vta");
  }

  void a_kernel_by_rule_is_right_and_has_a_time() {
    Run run = run_tw({"check", kKernel, "--device", "local:vta", "--default", "--time"});
    QVERIFY2(run.code == 0, qPrintable(run.out + run.err));
    QVERIFY2(run.out.contains("output right: largest difference 0"), qPrintable(run.out));
    QVERIFY2(run.out.contains("the target refuses the unscheduled nest"), qPrintable(run.out));
  }

  void what_does_not_fit_says_what_would_help() {
    Run run = run_tw({"run", kKernel, "--device", "local:vta", "--default", "--rounds", "1"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    run = run_tw({"lower", kKernel, "--target", "vta", "--stage", "calls"});
    QCOMPARE(run.code, 1);
    QVERIFY2(run.err.contains("set_scope"), qPrintable(run.err));
  }

  void a_board_that_nobody_knows_is_refused() {
    Run run = run_tw({"run", kKernel, "--device", "local:vta:abacus"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("vta:pynq"), qPrintable(run.err));
  }

  void a_kernel_has_a_timeline_that_is_proven() {
    Run run = run_tw({"timeline", kKernel, "--default", "--target", "vta", "--json"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QJsonObject json = QJsonDocument::fromJson(run.out.toUtf8()).object();
    QVERIFY(json["proven"].toBool());
    QVERIFY(json["cycles"].toInt() > 0);
  }

  /// What it computes is the same, bit by bit, wherever its kernels run.
  void a_network_of_bytes_runs_there_as_far_as_it_can() {
    QTemporaryDir folder;
    QString model = folder.filePath("model.onnx");
    Run run = run_tw({"quantize", "sample:dqn", "--out", model, "--runs", "1"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    Run home = run_tw({"run", model, "--rounds", "1", "--json"});
    QVERIFY2(home.code == 0, qPrintable(home.err));
    Run away = run_tw({"run", model, "--rounds", "1", "--json", "--offload", "local:vta"});
    QVERIFY2(away.code == 0, qPrintable(away.err));
    QVERIFY(!hash_in(home).isEmpty());
    QCOMPARE(hash_in(away), hash_in(home));
    Run told = run_tw({"run", model, "--rounds", "1", "--offload", "local:vta"});
    QVERIFY2(told.out.contains("these times include simulating local:vta"), qPrintable(told.out));
    QVERIFY2(told.out.contains(QRegularExpression("conv_integer\\S+ +local:vta\n")),
             qPrintable(told.out));
    QVERIFY2(told.out.contains("X is f32, which the target vta does not have"),
             qPrintable(told.out));
  }

  void dense_layers_of_bytes_run_there() {
    QTemporaryDir folder;
    QString model = folder.filePath("model.onnx");
    Run run = run_tw({"quantize", "sample:dqn", "--out", model, "--runs", "1", "--dense"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    Run home = run_tw({"run", model, "--rounds", "1", "--json"});
    Run away = run_tw({"run", model, "--rounds", "1", "--json", "--offload", "local:vta"});
    QVERIFY2(away.code == 0, qPrintable(away.err));
    QVERIFY(!hash_in(home).isEmpty());
    QCOMPARE(hash_in(away), hash_in(home));
    Run told = run_tw({"run", model, "--rounds", "1", "--offload", "local:vta"});
    for (char const* kernel : {"conv_integer_64x9x9", "matmul_integer_512", "matmul_integer_18"})
      QVERIFY2(told.out.contains(QRegularExpression(QString(kernel) + "\\S* +local:vta\n")),
               qPrintable(told.out));
    QVERIFY2(told.out.contains("moves single numbers"), qPrintable(told.out));
    Run list = run_tw({"kernels", model});
    QVERIFY2(list.out.contains(QRegularExpression("matmul_integer_512\\S* +1 +3.21 MOP")),
             qPrintable(list.out));
  }

  void a_design_in_a_file_is_a_target_and_a_device() {
    QTemporaryDir folder;
    QString file = folder.filePath("mine.vta");
    QVERIFY(QFile::copy(tw::testing::source("/resources/vta/pynq.vta"), file));
    Run run = run_tw({"check", kKernel, "--device", "local:vta:" + file, "--default"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QVERIFY2(run.out.contains("output right"), qPrintable(run.out));
    run = run_tw({"lower", kKernel, "--target", "vta:" + file, "--default", "--stage", "calls"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    // What is no design says so, with its file.
    QVERIFY(QFile::remove(file));
    run = run_tw({"lower", kKernel, "--target", "vta:" + file});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains(file), qPrintable(run.err));
    QFile broken(file);
    QVERIFY(broken.open(QIODevice::WriteOnly) &&
            broken.write("tilewright vta configuration 1\nlog_block = x\n"));
    broken.close();
    run = run_tw({"check", kKernel, "--device", "local:vta:" + file, "--default"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("mine.vta"), qPrintable(run.err));
  }

  void an_exported_network_runs_alone_beside_a_simulator() {
    QTemporaryDir folder;
    QString model = folder.filePath("model.onnx"), out = folder.filePath("out");
    Run run = run_tw({"quantize", "sample:dqn", "--out", model, "--runs", "1"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    run = run_tw({"export", model, "--target", "vta:sim", "--out", out});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QVERIFY2(run.out.contains("kernels run on VTA"), qPrintable(run.out));
    QVERIFY2(run.out.contains("Tested stand-alone under a simulator for vta"), qPrintable(run.out));
    Run alone = shell("cd " + out + " && env -i TILEWRIGHT_SIMULATE=1 ./example --rounds 1");
    QVERIFY2(alone.code == 0, qPrintable(alone.out + alone.err));
    QVERIFY2(alone.out.endsWith("the outputs are the stored ones\n"), qPrintable(alone.out));
    // Without a board it says so, and what there is instead.
    alone = shell("cd " + out + " && env -i ./example --rounds 1");
    QCOMPARE(alone.code, 1);
    QVERIFY2(alone.err.contains("TILEWRIGHT_SIMULATE=1"), qPrintable(alone.err));
    run = shell("rm " + out + "/libtilewright_vta.so.1 && cd " + out +
                " && env -i TILEWRIGHT_SIMULATE=1 ./example --rounds 1");
    QCOMPARE(run.code, 1);
    QVERIFY2(run.err.contains("whose library cannot be loaded"), qPrintable(run.err));
  }

  /// The board's processor is another one: code, runtime and accelerator's library are its.
  void a_kernel_is_exported_for_a_board() {
    QTemporaryDir folder;
    QString out = folder.filePath("out");
    Run run = run_tw({"export", kKernel, "--target", "vta:pynq", "--out", out});
    if (run.err.contains("this build was made without")) QSKIP(qPrintable(run.err));
    QVERIFY2(run.code == 0, qPrintable(run.err));
    Run kind = shell("od -A n -t u2 -j 18 -N 2 " + out + "/libtilewright_vta.so.1");
    QCOMPARE(kind.out.simplified(), QString("40"));  // ELF's number of 32-bit Arm
    bool emulated = run.out.contains("Tested stand-alone under qemu-arm-static, with a simulator");
    QVERIFY2(emulated || run.out.contains("is not installed"), qPrintable(run.out));
  }

  void a_network_of_floats_is_not_exported_for_a_board() {
    QTemporaryDir folder;
    Run run =
        run_tw({"export", "sample:dqn", "--target", "vta:sim", "--out", folder.filePath("out")});
    QCOMPARE(run.code, 1);
    QVERIFY2(run.err.contains("runs none of the model's kernels"), qPrintable(run.err));
  }

  void its_roofs_follow_from_its_configuration() {
    Run run = run_tw({"roofline", "--device", "local:vta"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QVERIFY2(run.out.contains("roofs from its configuration"), qPrintable(run.out));
    QVERIFY2(run.out.contains(QRegularExpression("GEMM i8 +51.2 GOP/s")), qPrintable(run.out));
    QVERIFY2(run.out.contains(QRegularExpression("DRAM +0.800 GB/s")), qPrintable(run.out));
    run = run_tw({"roofline", "--offload", "local:vta"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("--offload needs a model"), qPrintable(run.err));
  }

  void a_kernel_stands_below_them_with_and_without_virtual_threads() {
    Run run = run_tw({"roofline", kKernel, "--device", "local:vta", "--json"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QJsonObject json = QJsonDocument::fromJson(run.out.toUtf8()).object();
    QVERIFY(!json["measured"].toBool());
    QJsonObject kernel = json["kernels"].toArray()[0].toObject();
    QCOMPARE(kernel["operations"].toDouble(), 2.0 * 6 * 6 * 32 * 32 * 9);
    double with = kernel["by_rule"].toObject()["time_ms"].toDouble();
    QVERIFY(with > 0);
    if (kernel.contains("in_turn"))
      QVERIFY(kernel["in_turn"].toObject()["time_ms"].toDouble() >= with);
    QVERIFY(kernel["of_peak"].toDouble() > 0 && kernel["of_peak"].toDouble() < 1);
  }

  void the_kernels_of_a_network_stand_below_its_roofs() {
    QTemporaryDir folder;
    QString model = folder.filePath("model.onnx");
    Run run = run_tw({"quantize", "sample:dqn", "--out", model, "--runs", "1"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    run = run_tw({"roofline", model, "--offload", "local:vta"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QVERIFY2(run.out.contains(QRegularExpression("conv_integer\\S+ +1 .* %")), qPrintable(run.out));
    QVERIFY2(run.out.contains("which the target vta does not have"), qPrintable(run.out));
  }

  void a_network_of_floats_has_nothing_for_it() {
    Run run = run_tw({"run", "sample:dqn", "--rounds", "1", "--offload", "local:vta"});
    QCOMPARE(run.code, 1);
    QVERIFY2(run.err.contains("runs none of the model's kernels"), qPrintable(run.err));
    run = run_tw({"run", "sample:dqn", "--offload", "local:vta", "--partition", "x@local"});
    QCOMPARE(run.code, 2);
  }
};

QTEST_GUILESS_MAIN(AcceleratorTest)
#include "accelerator_test.moc"
