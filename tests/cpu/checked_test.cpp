// Code that checks its accesses: what it finds. (That it finds nothing where nothing is wrong is
// part of random_compiled_test.)
#include <QtTest>

#include "engine/ir/text.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/support/compiled.h"
#include "tests/support/random_schedules.h"

using namespace tw;

class CheckedTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { backend_ = create_cpu_backend(detect_host()).value(); }

  void a_read_behind_the_end_is_named_with_its_element_and_loop() {
    QCOMPARE(
        verdict("program p(X: f32[4, 8]) -> (Y: f32[4, 8])\n"
                "  for i in 4\n"
                "    for j in 8\n"
                "      block Y(vi: 4 = i, vj: 8 = j)\n"
                "        Y[vi, vj] = X[vi, vj+1]\n"),
        QString(
            "out-of-bounds read of X at 32 of 32, loops i = 3, j = 7, in: Y[i*8+j] = X[i*8+j+1]"));
  }

  void a_write_before_the_start_by_one_lane_is_found() {
    QString found = verdict(
        "program p(X: f32[16]) -> (Y: f32[16])\n"
        "  for i in 2\n"
        "    vector j in 8\n"
        "      block Y(vi: 2 = i, vj: 8 = j)\n"
        "        Y[vi*8+vj-2] = X[vi*8+vj]\n");
    QVERIFY2(found.startsWith("out-of-bounds write of Y at -2 of 16, loops i = 0"),
             qPrintable(found));
  }

  void an_element_never_written_is_found_where_it_is_read() {
    QString found = verdict(
        "program p(X: f32[8]) -> (Y: f32[8])\n"
        "  alloc T: f32[8] @global\n"
        "  for i in 7\n"
        "    block T(vi: 7 = i)\n"
        "      T[vi] = X[vi]\n"
        "  for i in 8\n"
        "    block Y(vi: 8 = i)\n"
        "      Y[vi] = T[vi]*2.0\n");
    QVERIFY2(found.startsWith("read of an unwritten element of T at 7 of 8, loops i = 7"),
             qPrintable(found));
  }

  void padding_may_be_copied_as_long_as_nobody_computes_with_it() {
    auto program = [](char const* extent) {
      return "program p(X: f32[8]) -> (Y: f32[8])\n"
             "  alloc T: f32[8] @global\n"
             "  alloc U: f32[8] @global\n"
             "  for i in 6\n"
             "    block T(vi: 6 = i)\n"
             "      T[vi] = X[vi]\n"
             "  for i in 8\n"
             "    block U(vi: 8 = i)\n"
             "      U[vi] = T[vi]\n"
             "  for i in 8\n"
             "    block Y(vi: 8 = i)\n"
             "      Y[vi] = U[min(vi, " +
             std::string(extent) + ")]+1.0\n";
    };
    QCOMPARE(verdict(program("5")), QString());
    QString found = verdict(program("6"));
    QVERIFY2(found.startsWith("read of an unwritten element of U at 6 of 8, loops i = 6"),
             qPrintable(found));
  }

  void what_is_only_set_again_and_again_is_not_read() {
    QCOMPARE(verdict("program p(X: f32[8]) -> (Y: f32[8])\n"
                     "  for i in 8\n"
                     "    for k in 3\n"
                     "      block Y(vi: 8 = i)\n"
                     "        Y[vi] = X[vi]\n"),
             QString());
    QCOMPARE(verdict("program p(X: f32[8]) -> (Y: f32[8])\n"
                     "  for i in 8\n"
                     "    for k in 3\n"
                     "      block S(vi: 8 = i)\n"
                     "        Y[vi] = X[vi]\n"
                     "      for r in 2\n"
                     "        block T(vi: 8 = i)\n"
                     "          Y[vi] = Y[vi]*2.0\n"),
             QString());
    QString found = verdict(
        "program p(X: f32[8]) -> (Y: f32[8])\n"
        "  for i in 8\n"
        "    for k in 3\n"
        "      block Y(vi: 8 = i)\n"
        "        Y[vi] = Y[vi]+X[vi]\n");
    QVERIFY2(found.startsWith("read of an unwritten element of Y at 0 of 8"), qPrintable(found));
  }

  void an_output_that_is_not_filled_is_found() {
    QString found = verdict(
        "program p(X: f32[8]) -> (Y: f32[8])\n"
        "  for i in 7\n"
        "    block Y(vi: 7 = i)\n"
        "      Y[vi] = X[vi]\n");
    QCOMPARE(found, QString("unwritten element in the output Y at 7 of 8"));
  }

  void what_a_task_writes_outside_of_its_own_part_is_found() {
    QString found = verdict(
        "program p(X: f32[2, 40000]) -> (Y: f32[2, 40000])\n"
        "  parallel t in 2\n"
        "    alloc T: f32[40000] @global\n"
        "    for i in 40000\n"
        "      block T(vt: 2 = t, vi: 40000 = i)\n"
        "        T[vi*2] = X[vt, vi]\n"
        "    for i in 40000\n"
        "      block Y(vt: 2 = t, vi: 40000 = i)\n"
        "        Y[vt, vi] = T[vi]\n");
    QVERIFY2(found.startsWith("out-of-bounds write of T at 400"), qPrintable(found));
  }

private:
  /// What checked code says about the program: empty when it is clean.
  QString verdict(std::string const& text) {
    auto program = ir::parse_program("tilewright program 1\n" + text);
    if (!program) return QString::fromStdString("no program: " + to_sentence(program.error()));
    auto stages = lower(*program, backend_->target(), backend_->passes());
    if (!stages) return QString::fromStdString("not lowered: " + to_sentence(stages.error()));
    Rng rng(1);
    ThreadPool pool(2);
    auto outputs = testing::run_compiled(stages->back().kernel, *program,
                                         testing::random_inputs(*program, rng), *backend_,
                                         CodeTier::kChecked, pool);
    return outputs ? QString() : QString::fromStdString(outputs.error().message);
  }

  std::shared_ptr<Backend const> backend_;
};

QTEST_GUILESS_MAIN(CheckedTest)
#include "checked_test.moc"
