// What a person gives in files, or pipes in: elements, scripts, kernels.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <cstring>

#include "tests/cli/run_program.h"

using namespace command_line;

namespace {

/// A sum that depends on the order where its elements are floats of many digits; the product of
/// whole numbers is exact.
constexpr char kRows[] =
    "tilewright te 1\n"
    "kernel rows(A: i32[4, 8], B: f32[8]) -> C, D\n"
    "  C[i in 4] = sum[k in 8] A[i, k] * 3:i32\n"
    "  D[j in 8] = B[j] * 2.0\n";
constexpr char kTwo[] =
    "tilewright schedule 1\n"
    "for rows\n"
    "unroll(C.k)\n";

template <typename T>
QByteArray raw(std::vector<T> const& values) {
  return {reinterpret_cast<char const*>(values.data()), qsizetype(values.size() * sizeof(T))};
}

}  // namespace

class GivenInputsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    write("rows.te", kRows);
    write("rows.tws", kTwo);
    write("a.bin", raw(std::vector<int32_t>(32, std::numeric_limits<int32_t>::max())));
    write("b.bin", raw(std::vector<float>{1, -0.5, 1e30f, 0, 7, -INFINITY, 2, 3}));
    write("short.bin", "abc");
  }

  void a_schedule_is_judged_on_what_is_given() {
    Run run = run_tw({"check", at("rows.te"), "--script", at("rows.tws"), "--input",
                      "A=" + at("a.bin"), "--input", "B=" + at("b.bin")});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QVERIFY2(run.out.contains("on the given A, B: right"), qPrintable(run.out));
    run = run_tw({"check", at("rows.te"), "--input", "B=" + at("b.bin"), "--json"});
    QVERIFY2(run.out.contains("the given B"), qPrintable(run.out));
  }

  void what_cannot_be_given_is_said_data() {
    QTest::addColumn<QString>("input");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("no such") << "Z=" + at("a.bin") << "the kernel has no input 'Z'";
    QTest::newRow("size") << "A=" + at("short.bin") << "has 3 bytes, but A (i32 4x8) needs 128";
    QTest::newRow("form") << "A"
                          << "--input takes NAME=FILE, not 'A'";
    QTest::newRow("file") << "A=" + at("none") << "cannot be read";
  }
  void what_cannot_be_given_is_said() {
    QFETCH(QString, input);
    QFETCH(QString, sentence);
    Run run = run_tw({"check", at("rows.te"), "--input", input});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains(sentence), qPrintable(run.err));
  }

  void a_script_runs_on_what_is_given() {
    QStringList command{"run",      at("rows.te"), "--input-folder",  at("in"),
                        "--rounds", "1",           "--output-folder", at("out")};
    QDir(folder_.path()).mkpath("in");
    write("in/0.bin", raw(std::vector<int32_t>(32, 5)));
    write("in/1.bin", raw(std::vector<float>(8, 1.5F)));
    for (QStringList script :
         {QStringList(), {"--script", at("rows.tws")}, {"--script", "plain"}}) {
      Run run = run_tw(command + script);
      QVERIFY2(run.code == 0, qPrintable(run.err));
      QCOMPARE(read("out/output_0.bin"), raw(std::vector<int32_t>(4, 120)));
      QCOMPARE(read("out/output_1.bin"), raw(std::vector<float>(8, 3)));
    }
  }

  void a_script_that_does_not_fit_is_refused() {
    write("other.tws", "tilewright schedule 1\nfor rows\nunroll(C.nowhere)\n");
    Run run = run_tw({"run", at("rows.te"), "--script", at("other.tws")});
    QVERIFY(run.code == 1 || run.code == 2);
    QVERIFY2(run.err.contains("nowhere"), qPrintable(run.err));
    run = run_tw({"run", "sample:dqn", "--script", at("rows.tws"), "--rounds", "1"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("names no kernel of the model"), qPrintable(run.err));
  }

  void what_is_piped_in_is_read() {
    QString te = at("rows.te"), tws = at("rows.tws");
    Run run = shell("\"$0\" check - < " + te);
    QVERIFY2(run.code == 0 && run.out.contains("right"), qPrintable(run.out + run.err));
    run = shell("\"$0\" check " + te + " --script - < " + tws);
    QVERIFY2(run.code == 0 && run.out.contains("1 step legal"), qPrintable(run.out + run.err));
    run = shell("echo 'tilewright te 1\nkernel ?' | \"$0\" check -");
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.startsWith("tw: standard input:2:"), qPrintable(run.err));
    run = shell("\"$0\" inspect - < /dev/null");
    QCOMPARE(run.code, 2);
    run = shell("\"$0\" check - --script - < " + te);
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("only one file can be standard input"), qPrintable(run.err));
    QStringList left = QDir::temp().entryList({"tw-input-*"}, QDir::Dirs);
    QVERIFY2(left.isEmpty(), qPrintable(left.join(' ')));
  }

  void numbers_and_commands_that_are_missing_are_named() {
    Run run = run_tw({"tune", at("rows.te"), "--seconds", "-5"});
    QCOMPARE(run.code, 2);
    QCOMPARE(run.err, "tw: --seconds: -5 is not above 0\n");
    run = run_tw({"tune", at("rows.te"), "--seconds", "soon"});
    QCOMPARE(run.err, "tw: --seconds: 'soon' is not a number\n");
    run = run_tw({"models"});
    QCOMPARE(run.code, 2);
    QCOMPARE(run.err, "tw: models needs one of: list, write\n");
  }

  void a_graph_without_an_edge_says_so() {
    QCOMPARE(run_tw({"graph", at("rows.te")}).out, "1 kernel and no edge between operators\n");
  }

  void each_graph_pass_says_what_it_did() {
    Run run = run_tw({"graph", "sample:resnet18", "--passes"});
    QCOMPARE(run.code, 0);
    QVERIFY2(run.out.contains(QRegularExpression(
                 "simplify_inference +\\d+ operators  \\d+ normalizations folded")),
             qPrintable(run.out));
    run = run_tw({"--json", "graph", "sample:resnet18", "--passes"});
    QJsonArray passes = QJsonDocument::fromJson(run.out.toUtf8())["passes"].toArray();
    QCOMPARE(passes.last()["name"].toString(), QString("fuse_operators"));
    QVERIFY(passes.last()["counts"].toObject()["kernels"].toInt() > 10);
    QCOMPARE(run_tw({"graph", at("rows.te"), "--passes"}).out,
             "a tensor expression has no graph, so no pass ran over one\n");
  }

private:
  QString at(char const* name) const { return folder_.filePath(name); }
  QByteArray read(char const* name) const {
    QFile file(at(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  void write(char const* name, QByteArray const& content) const {
    QFile file(at(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
  }
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(GivenInputsTest)
#include "given_inputs_test.moc"
