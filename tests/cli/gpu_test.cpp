// The page on GPUs, as somebody types it: its product, networks on an OpenCL device, CUDA without
// a GPU.
#include <QtTest>

#include <QTemporaryDir>

#include "tests/cli/run_program.h"
#include "tests/support/paths.h"

using namespace command_line;

namespace {

/// What stands between two lines of the page.
QString part_of(QString const& from, QString const& to) {
  QFile page(tw::testing::source("/resources/docs/gpu.md"));
  if (!page.open(QIODevice::ReadOnly)) return {};
  QString text = QString::fromUtf8(page.readAll());
  qsizetype begin = text.indexOf(from), end = text.indexOf(to, begin);
  return begin < 0 || end < 0 ? QString() : text.mid(begin, end - begin);
}

std::vector<float> floats_in(QString const& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  QByteArray bytes = file.readAll();
  std::vector<float> values(size_t(bytes.size()) / sizeof(float));
  std::memcpy(values.data(), bytes.constData(), values.size() * sizeof(float));
  return values;
}

}  // namespace

class GpuTest : public QObject {
  Q_OBJECT
private slots:
  void cleanup() { qunsetenv("LD_LIBRARY_PATH"); }
  void initTestCase() {
    QString kernel = part_of("tilewright te 1", "```"),
            script = part_of("tilewright schedule 1", "```");
    QVERIFY(!kernel.isEmpty() && !script.isEmpty());
    kernel.replace("1024", "96");
    for (auto const& [name, text] : {std::pair{&kernel_, kernel}, {&script_, script}}) {
      *name = folder_.filePath(name == &kernel_ ? "product.te" : "product.tws");
      QFile file(*name);
      QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0);
    }
    Run run = run_tw({"lower", kernel_, "--target", "opencl", "--default"});
    if (run.code == 2) QSKIP("this build has no target opencl");
    QVERIFY2(run.code == 0, qPrintable(run.err));
  }

  void the_pages_copies_go_on_while_others_compute() {
    QString lines = part_of("a0, aw = split", "```");
    QFile file(script_);
    QVERIFY(file.open(QIODevice::ReadOnly) && !lines.isEmpty());
    QString script = QString::fromUtf8(file.readAll());
    qsizetype begin = script.indexOf("a = fuse"), end = script.indexOf("b = fuse");
    QVERIFY(begin > 0 && end > begin);
    script.replace(begin, end - begin, lines);
    QString name = folder_.filePath("copies.tws");
    QFile made(name);
    QVERIFY(made.open(QIODevice::WriteOnly) && made.write(script.toUtf8()) > 0);
    made.close();
    Run run =
        run_tw({"lower", kernel_, "--target", "cuda:h100", "--script", name, "--stage", "ptx"});
    QVERIFY2(run.code == 0 && run.out.contains("cp.async.cg.shared.global"), qPrintable(run.err));
  }

  /// The page's pipeline of a block, or why there is none.
  void the_page_s_product_has_a_pipeline() {
    Run run = run_tw({"timeline", kernel_, "--target", "cuda:h100", "--script", script_});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QVERIFY2(run.out.contains(", modelled, ") && run.out.contains("copy of A"),
             qPrintable(run.out));
    QVERIFY2(run.out.contains(QRegularExpression("\nArithmetic [^\n]* of a turn[^\n]*\\.\n")),
             qPrintable(run.out));
    run = run_tw({"timeline", kernel_, "--target", "cuda:h100"});
    QCOMPARE(run.code, 1);
    QVERIFY2(run.err.contains("runs on no thread"), qPrintable(run.err));
    run = run_tw({"timeline", kernel_, "--target", "opencl:mali-g78", "--default"});
    QCOMPARE(run.code, 1);
    QVERIFY2(run.err.contains("has no simulator"), qPrintable(run.err));
  }

  /// From the command to the driver: a stand-in for it, on which nothing is computed here.
  void cuda_devices_run_by_their_driver() {
    QFile stand_in(tw::testing::built("/tests/libtw_stand_in_driver.so"));
    if (!stand_in.exists()) QSKIP("this build has no stand-in for NVIDIA's driver");
    Run run = run_tw({"run", kernel_, "--device", "local:cuda"});
    if (run.code == 0) QSKIP("this machine has an NVIDIA driver");
    QVERIFY2(run.code == 3 && run.err.contains("there is no NVIDIA driver"), qPrintable(run.err));
    QVERIFY(stand_in.link(folder_.filePath("libcuda.so.1")));
    qputenv("LD_LIBRARY_PATH", folder_.path().toUtf8());
    run = run_tw({"run", kernel_, "--device", "local:cuda"});
    QVERIFY2(run.code == 0 && run.out.contains("C 96x96"), qPrintable(run.out + run.err));
    run = run_tw({"run", kernel_, "--device", "local:cuda:stand"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    run = run_tw({"run", kernel_, "--device", "local:cuda:h200"});
    QVERIFY2(run.code == 3 && run.err.contains("there are: Stand-in"), qPrintable(run.err));
  }

  void the_page_shows_what_there_is() {
    for (auto const& [target, stage, words] : {std::tuple{"opencl", "opencl", "barrier("},
                                               {"opencl", "launches", "3 x 3 blocks of 8 x 8"},
                                               {"opencl:mali-g78", "opencl", "barrier("},
                                               {"metal:m1", "metal", "threadgroup_barrier("},
                                               {"cuda:a100", "cuda", "__shared__"},
                                               {"cuda:a100", "ptx", ".target sm_80"},
                                               {"cuda:a100", "resources", "occupancy"},
                                               {"cuda:a100", "access", "sectors, ideal"},
                                               {"cuda:a100", "time", "modelled, bound by"}}) {
      Run run =
          run_tw({"lower", kernel_, "--target", target, "--script", script_, "--stage", stage});
      QVERIFY2(run.code == 0, qPrintable(run.err));
      QVERIFY2(run.out.contains(words), qPrintable(run.out));
    }
  }

  void a_described_gpu_has_modelled_times() {
    Run run = run_tw({"analyze", kernel_, "--device", "cuda:h100", "--script", script_});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    for (char const* word : {"shared", "L2", "DRAM", "Bottleneck of"})
      QVERIFY2(run.out.contains(word), qPrintable(run.out));
    run = run_tw({"analyze", kernel_, "--device", "cuda:h100", "--script", "plain"});
    QVERIFY2(run.out.contains("this step, modelled: latency"), qPrintable(run.out));
  }

  void a_product_is_judged_and_run_on_a_device() {
    if (QString why = missing(); !why.isEmpty()) QSKIP(qPrintable(why));
    for (QStringList const& how : {QStringList{"--script", script_}, {"--default"}}) {
      Run run = run_tw(QStringList{"check", kernel_, "--device", "local:opencl"} + how);
      QVERIFY2(run.code == 0, qPrintable(run.out + run.err));
      QVERIFY2(run.out.contains("output right"), qPrintable(run.out));
    }
  }

  void a_network_computes_there_what_it_does_here() {
    if (QString why = missing(); !why.isEmpty()) QSKIP(qPrintable(why));
    QString here = folder_.filePath("here"), there = folder_.filePath("there");
    Run run = run_tw({"run", "sample:dqn", "--rounds", "1", "--output-folder", here});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    run = run_tw({"run", "sample:dqn", "--device", "local:opencl", "--rounds", "1",
                  "--output-folder", there});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    std::vector<float> one = floats_in(here + "/output_0.bin"),
                       other = floats_in(there + "/output_0.bin");
    QVERIFY(!one.empty() && one.size() == other.size());
    for (size_t i = 0; i < one.size(); ++i) QVERIFY(std::abs(one[i] - other[i]) < 1e-4F);
  }

  void what_cannot_be_is_said_in_a_sentence() {
    Run run = run_tw({"lower", kernel_, "--target", "cuda:abacus"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("cuda:h100"), qPrintable(run.err));
    run = run_tw({"check", kernel_, "--device", "local:opencl:abacus"});
    QCOMPARE(run.code, 3);
    QVERIFY2(run.err.contains("opencl"), qPrintable(run.err));
    QFile plain(folder_.filePath("unbound.tws"));
    QVERIFY(plain.open(QIODevice::WriteOnly) &&
            plain.write("tilewright schedule 1\nsplit(C.i, factor=8)\n") > 0);
    plain.close();
    run = run_tw({"lower", kernel_, "--target", "opencl", "--script", plain.fileName(), "--stage",
                  "opencl"});
    QCOMPARE(run.code, 1);
    QVERIFY2(run.err.contains("runs on no thread"), qPrintable(run.err));
  }

private:
  /// Why there is no device; empty: there is one.
  static QString missing() {
    static QString const why = [] {
      Run run = run_tw({"run", "sample:dqn", "--device", "local:opencl", "--rounds", "1"});
      return run.code == 3 ? run.err.trimmed() : QString();
    }();
    return why;
  }

  QTemporaryDir folder_;
  QString kernel_, script_;
};

QTEST_GUILESS_MAIN(GpuTest)
#include "gpu_test.moc"
