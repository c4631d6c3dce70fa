// `tw report`: one file about a kernel or a model, and what it says where it cannot make it.
#include <QtTest>

#include <QRegularExpression>

#include "tests/cli/run_program.h"

using namespace command_line;

namespace {

constexpr char kMatmul[] =
    "tilewright te 1\n"
    "kernel matmul(A: f32[32, 24], B: f32[24, 40]) -> C\n"
    "  C[i in 32, j in 40] = sum[k in 24] A[i, k] * B[k, j]\n";

}  // namespace

class ReportCommandTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    write("<b>m.te", kMatmul);
    write("good.tws",
          "tilewright schedule 1\nfor matmul\nparallel(C.i)\nreorder(C.k, C.j)\nvectorize(C.j)\n");
    write("bad.tws", "tilewright schedule 1\nparallel(C.k)\n");
    write("broken.twproj", "{}");
  }

  void a_kernel_under_a_script_is_told_step_by_step() {
    Run run = run_tw({"report", at("<b>m.te"), "--script", at("good.tws"), "--out", at("k.html")});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QVERIFY(run.out.startsWith(at("k.html") + ": "));
    QString page = read("k.html");
    for (char const* step : {"plain", "parallel(C.i)", "reorder(C.k, C.j)", "vectorize(C.j)"})
      QVERIFY2(page.contains(QString("<code>%1</code>").arg(step)), step);
    static QRegularExpression const timed(
        "data-step=((?!</tr>).)*(±[0-9.]+ %|to [0-9.]+ (ns|µs|ms|s)|1 sample)",
        QRegularExpression::DotMatchesEverythingOption);
    QCOMPARE(page.count("data-step="), page.count(timed));
    QVERIFY(page.contains("✓ correct"));
    QVERIFY(page.contains("A kernel of &lt;b&gt;m.te"));
    QVERIFY(!page.contains("<b>m.te"));
    QVERIFY(!page.contains("://"));
  }

  void a_model_has_its_kernels() {
    Run run = run_tw({"report", "sample:dqn", "--json", "--out", at("m.html")});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QVERIFY(run.out.contains("\"report\""));
    QString page = read("m.html");
    QVERIFY(page.contains("data-fact=\"model.time\""));
    QVERIFY(page.count("data-kernel=") >= 5);
    QVERIFY(page.contains("class=\"graph\""));
  }

  void a_mistake_is_one_sentence_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("words");
    QStringList out{"--out", at("x.html")};
    QTest::newRow("nothing") << QStringList{} + out << 2 << "a report needs a model";
    QTest::newRow("no file") << QStringList{at("none.te")} + out << 2 << "cannot be read";
    QTest::newRow("no kernel") << QStringList{at("<b>m.te"), "--kernel", "conv"} + out << 2
                               << "there is no kernel 'conv'";
    QTest::newRow("refused") << QStringList{at("<b>m.te"), "--script", at("bad.tws")} + out << 1
                             << "parallel(C.k)";
    QTest::newRow("no project") << QStringList{"--project", at("broken.twproj")} + out << 2
                                << "project";
    QTest::newRow("nowhere") << QStringList{at("<b>m.te"), "--kernel", "matmul", "--out",
                                            at("good.tws") + "/x.html"}
                             << 3 << "good.tws";
  }
  void a_mistake_is_one_sentence() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, words);
    Run run = run_tw(QStringList{"report"} + arguments);
    QCOMPARE(run.code, code);
    QVERIFY2(run.err.contains(words), qPrintable(run.err));
    QCOMPARE(run.err.count('\n'), 1);
    QVERIFY(!QFile::exists(at("x.html")));
  }

private:
  QString at(QString const& name) const { return folder_.filePath(name); }
  void write(QString const& name, char const* text) const {
    QFile file(at(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }
  QString read(QString const& name) const {
    QFile file(at(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(ReportCommandTest)
#include "report_test.moc"
