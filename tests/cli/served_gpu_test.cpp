// GPUs that are served to other machines, as somebody uses them from the command line: OpenCL by
// PoCL, and CUDA by a stand-in for NVIDIA's driver, on which nothing is computed.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <thread>

#include "tests/cli/run_program.h"
#include "tests/device/test_server.h"
#include "tests/support/paths.h"

using namespace command_line;
using tw::test::TestServer;

namespace {

constexpr char kProduct[] =
    "tilewright te 1\n"
    "kernel product(A: f32[48, 40], B: f32[40, 56]) -> C\n"
    "  C[i in 48, j in 56] = sum[k in 40] A[i, k] * B[k, j]\n";

QJsonValue outputs_of(Run const& run) {
  return QJsonDocument::fromJson(run.out.toUtf8()).object()["outputs"];
}

}  // namespace

class ServedGpuTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    std::ofstream(at("product.te").toStdString()) << kProduct;
    if (here({"lower", at("product.te"), "--target", "opencl", "--default"}).code == 2)
      QSKIP("this build has no target opencl");
    Run local = here({"run", at("product.te"), "--device", "local:opencl"});
    if (local.code == 3) QSKIP(qPrintable(local.err.trimmed()));
    server_ = std::make_unique<TestServer>(QStringList{"--target", "opencl"});
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
    Run added = add("gpu", *server_);
    QVERIFY2(added.code == 0 && added.out.contains("OpenCL"), qPrintable(added.out + added.err));
    QVERIFY2(added.out.contains("does not block: starting programs that are installed"),
             qPrintable(added.out));
  }
  void cleanupTestCase() { server_.reset(); }
  void cleanup() {
    for (char const* name : {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "OCL_ICD_VENDORS"})
      qunsetenv(name);
  }

  void a_kernel_runs_is_checked_and_timed_there() {
    if (!server_) QSKIP("there is no OpenCL device");
    QStringList const run{"run", at("product.te"), "--json"};
    Run there = here(run + QStringList{"--device", "gpu"});
    QVERIFY2(there.code == 0, qPrintable(there.err));
    QVERIFY(!outputs_of(there).toArray().isEmpty());
    QCOMPARE(outputs_of(there), outputs_of(here(run + QStringList{"--device", "local:opencl"})));
    Run check = here({"check", at("product.te"), "--default", "--time", "--device", "gpu"});
    QVERIFY2(check.code == 0 && check.out.contains("output right: largest difference 0"),
             qPrintable(check.out + check.err));
    QVERIFY2(check.out.contains("scheduled "), qPrintable(check.out));
  }

  void a_kernel_is_tuned_there() {
    if (!server_) QSKIP("there is no OpenCL device");
    Run run = here({"tune", at("product.te"), "--device", "gpu", "--trials", "4", "--no-store"});
    QVERIFY2(run.code == 0 && run.out.contains("4 trials in"), qPrintable(run.out + run.err));
    QVERIFY2(run.out.contains("best "), qPrintable(run.out));
  }

  void a_network_runs_there_whole_for_two_clients_at_once() {
    if (!server_) QSKIP("there is no OpenCL device");
    QStringList const run{"run", "sample:dqn", "--rounds", "2", "--json"};
    Run local = here(run + QStringList{"--device", "local:opencl"}), second;
    std::jthread other([&] { second = here(run + QStringList{"--device", "gpu"}); });
    Run first = here(run + QStringList{"--device", "gpu"});
    other.join();
    for (Run const* one : {&local, &first, &second})
      QVERIFY2(one->code == 0 && !outputs_of(*one).toArray().isEmpty(), qPrintable(one->err));
    QCOMPARE(outputs_of(first), outputs_of(local));
    QCOMPARE(outputs_of(second), outputs_of(local));
  }

  void what_is_missing_is_said_where_it_is_served() {
    auto serve = [this](char const* target) {
      return here({"device", "serve", "--target", target, "--no-token", "--listen", "127.0.0.1:0"});
    };
    if (server_) {
      QVERIFY(QDir().mkdir(at("no_drivers")));
      qputenv("OCL_ICD_VENDORS", at("no_drivers").toUtf8());
      Run run = serve("opencl");
      QVERIFY2(run.code == 3 && run.err.contains("no OpenCL driver has a device here"),
               qPrintable(run.err));
      cleanup();
      QVERIFY(QDir().mkdir(at("no_loader")));
      std::ofstream(at("no_loader/libOpenCL.so.1").toStdString()) << "no library\n";
      qputenv("LD_LIBRARY_PATH", at("no_loader").toUtf8());
      run = serve("opencl");
      QVERIFY2(run.code == 3 && run.err.contains("there is no ICD loader"), qPrintable(run.err));
      cleanup();
      run = serve("opencl:abacus");
      QVERIFY2(run.code == 3 && run.err.contains("no OpenCL device is called 'abacus'; there are:"),
               qPrintable(run.err));
      QCOMPARE(run.err.count('\n'), 1);
    }
    if (here({"run", at("product.te"), "--device", "local:cuda"}).code == 0)
      QSKIP("this machine has an NVIDIA driver");
    Run run = serve("cuda");
    QVERIFY2(run.code == 3 && run.err.contains("there is no NVIDIA driver"), qPrintable(run.err));
    if (!stand_in("old")) QSKIP("this build has no stand-in for NVIDIA's driver");
    run = serve("cuda");
    QVERIFY2(run.code == 3 && run.err.contains("is of CUDA 11.4, and kernels need one of 12.0"),
             qPrintable(run.err));
    stand_in("none");
    run = serve("cuda");
    QVERIFY2(run.code == 3 && run.err.contains("the NVIDIA driver has no device here"),
             qPrintable(run.err));
    QCOMPARE(run.err.count('\n'), 1);
  }

  void a_cuda_device_is_served() {
    if (!stand_in("")) QSKIP("this build has no stand-in for NVIDIA's driver");
    TestServer server({"--target", "cuda"});
    QVERIFY2(!server.address().empty(), qPrintable(server.said()));
    Run added = add("nvidia", server);
    QVERIFY2(added.out.contains("Stand-in"), qPrintable(added.out + added.err));
    Run run = here({"run", at("product.te"), "--device", "nvidia"});
    QVERIFY2(run.code == 0 && run.out.contains("C 48x56"), qPrintable(run.out + run.err));
  }

  void what_a_cuda_device_does_is_a_sentence_and_the_server_goes_on_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("words");
    QTest::newRow("hangs") << "hangs"
                           << "took longer than the 2 s that the device allows";
    QTest::newRow("lost") << "lost"
                          << "did not finish (CUDA_ERROR_LAUNCH_FAILED)";
    QTest::newRow("small") << "small"
                           << "does not fit";
  }
  void what_a_cuda_device_does_is_a_sentence_and_the_server_goes_on() {
    QFETCH(QString, fault);
    QFETCH(QString, words);
    if (!stand_in(fault)) QSKIP("this build has no stand-in for NVIDIA's driver");
    TestServer server({"--target", "cuda", "--call-seconds", "2"});
    QVERIFY2(!server.address().empty(), qPrintable(server.said()));
    QVERIFY(add("nvidia", server).code == 0);
    std::ofstream(at("large.te").toStdString())
        << "tilewright te 1\nkernel add(X: f32[1000000]) -> Y\n  Y[i in 1000000] = X[i] + 1.0\n";
    for (int i = 0; i < 2; ++i) {
      Run run = here({"run", at("large.te"), "--device", "nvidia"});
      QVERIFY2(run.code != 0 && run.err.contains(words), qPrintable(run.out + run.err));
      QCOMPARE(run.err.count('\n'), 1);
    }
    QVERIFY(server.process().state() == QProcess::Running);
  }

private:
  QString at(QString const& name) const { return folder_.filePath(name); }
  /// With a list of devices of its own.
  Run here(QStringList const& arguments) const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TW_CONFIG_DIR", folder_.path());
    return run_program(tw::testing::built("/bin/tw"), arguments, environment);
  }
  Run add(QString const& name, TestServer const& server) const {
    return here({"devices", "add", name, QString::fromStdString(server.address())});
  }
  /// Takes the place of NVIDIA's driver from now on. False: there is none.
  bool stand_in(QString const& fault) const {
    QString place = at("driver");
    QDir().mkpath(place);
    QFile::copy(tw::testing::built("/tests/libtw_stand_in_driver.so"), place + "/libcuda.so.1");
    qputenv("LD_LIBRARY_PATH", place.toUtf8());
    qputenv("CUDA_VISIBLE_DEVICES", fault.toUtf8());
    return QFile::exists(place + "/libcuda.so.1");
  }

  QTemporaryDir folder_;
  std::unique_ptr<TestServer> server_;
};

QTEST_GUILESS_MAIN(ServedGpuTest)
#include "served_gpu_test.moc"
