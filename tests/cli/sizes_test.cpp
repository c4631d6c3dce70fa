// Kernels whose extents are sizes, and scripts that open some, as `tw` takes them.
#include <QtTest>

#include <QFile>
#include <QTemporaryDir>

#include "tests/cli/run_program.h"

using namespace command_line;

namespace {

constexpr char kDense[] =
    "tilewright te 1\n"
    "kernel dense(X: f32[n, 24], W: f32[24, 32] @param) -> Y\n"
    "  size n in 1..40 = 16\n"
    "  Y[i in n, j in 32] = sum[k in 24] X[i, k] * W[k, j]\n";
constexpr char kTile[] =
    "tilewright schedule 1\nfor dense\n"
    "i0, i1 = split(Y.i, factor=4)\nj0, j1 = split(Y.j, factor=16)\n"
    "reorder(i0, j0, Y.k, i1, j1)\nvectorize(j1)\nunroll(i1)\n";
constexpr char kSize[] =
    "tilewright schedule 1\nfor dense\n"
    "jo, jt = split_by_size(Y.j, size=T, low=1, high=8, at=2)\nreorder(jo, Y.i, jt)\n";

}  // namespace

class SizesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    write("dense.te", kDense);
    write("tile.tws", kTile);
    write("size.tws", kSize);
    write("lanes.tws", "tilewright schedule 1\nfor dense\nvectorize(Y.i)\n");
  }

  void a_program_is_shown_with_the_value_with_another_and_open() {
    Run shown = run_tw({"lower", at("dense.te")});
    QVERIFY2(shown.code == 0 && shown.out.contains("for i in 16\n"), qPrintable(shown.out));
    Run other = run_tw({"lower", at("dense.te"), "--size", "n=17"});
    QVERIFY2(other.code == 0 && other.out.contains("for i in 17\n"), qPrintable(other.out));
    Run open = run_tw({"lower", at("dense.te"), "--symbolic"});
    QVERIFY2(open.out.contains("size n in 1..40\n") && open.out.contains("for i in n\n"),
             qPrintable(open.out));
    Run code = run_tw({"lower", at("dense.te"), "--symbolic", "--script", at("tile.tws"), "--stage",
                       "peel_symbolic_tails"});
    QVERIFY2(code.out.contains("let i0.whole = n//4\n"), qPrintable(code.out + code.err));
    Run assembly = run_tw({"lower", at("dense.te"), "--symbolic", "--stage", "assembly"});
    QVERIFY2(assembly.code == 0, qPrintable(assembly.err));
  }

  void the_kernel_runs_with_a_value() {
    Run run = run_tw({"run", at("dense.te"), "--size", "n=17", "--rounds", "1", "--json"});
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QVERIFY2(run.out.simplified().remove(' ').contains("\"shape\":[17,32]"), qPrintable(run.out));
    Run table = run_tw({"kernels", at("dense.te"), "--size", "n=40"});
    QVERIFY2(table.out.contains("40x32"), qPrintable(table.out));
  }

  void a_script_is_checked_for_all_values_and_run_with_some() {
    Run run = run_tw({"check", at("dense.te"), "--script", at("tile.tws")});
    QVERIFY2(run.code == 0, qPrintable(run.out + run.err));
    QVERIFY2(run.out.contains("one piece of code for 40 values; run with n=1; n=3; n=6;"),
             qPrintable(run.out));
    QVERIFY2(run.out.contains("; n=40: right\n"), qPrintable(run.out));
  }

  void a_step_that_needs_numbers_is_taken_with_one() {
    Run run = run_tw({"check", at("dense.te"), "--script", at("lanes.tws")});
    QCOMPARE(run.code, 1);
    QVERIFY2(run.out.contains("the extent of Y.i is a symbolic size"), qPrintable(run.out));
    QCOMPARE(run_tw({"check", at("dense.te"), "--script", at("lanes.tws"), "--size", "n=17"}).code,
             0);
  }

  void with_a_value_it_is_the_kernel_of_the_number() {
    Run run = run_tw({"check", at("dense.te"), "--script", at("tile.tws"), "--size", "n=17"});
    QVERIFY2(run.code == 0, qPrintable(run.out + run.err));
    QVERIFY2(!run.out.contains("one piece of code"), qPrintable(run.out));
  }

  void a_size_that_the_script_opens_has_the_value_given() {
    Run all = run_tw({"check", at("dense.te"), "--size", "n=17", "--script", at("size.tws")});
    QVERIFY2(all.out.contains("one piece of code for 8 values; run with T=1; T=2;"),
             qPrintable(all.out + all.err));
    Run one = run_tw(
        {"check", at("dense.te"), "--size", "n=17", "--size", "T=5", "--script", at("size.tws")});
    QVERIFY2(one.out.contains("one piece of code for 8 values; run with T=5: right"),
             qPrintable(one.out + one.err));
    Run both = run_tw({"check", at("dense.te"), "--script", at("size.tws")});
    QVERIFY2(both.code == 1 && both.out.contains("take more than 128 values together"),
             qPrintable(both.out + both.err));
  }

  void what_cannot_be_given_is_said() {
    auto error = [&](QStringList const& sizes) {
      return run_tw(QStringList{"lower", at("dense.te")} + sizes).err;
    };
    QVERIFY(error({"--size", "n=41"}).contains("the size n must be from 1 to 40, not 41"));
    QVERIFY(error({"--size", "m=4"}).contains("the kernel dense has no size m"));
    QVERIFY(error({"--size", "n"}).contains("--size takes NAME=VALUE, as in n=17, not 'n'"));
    QVERIFY(error({"--size", "n=4", "--size", "n=5"}).contains("--size gives 'n' twice"));
    QVERIFY(run_tw({"lower", "sample:resnet18", "--size", "n=4"})
                .err.contains("only tensor expressions have sizes: n is none"));
  }

private:
  void write(QString const& name, char const* text) {
    QFile file(at(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }
  QString at(QString const& name) const { return folder_.filePath(name); }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(SizesTest)
#include "sizes_test.moc"
