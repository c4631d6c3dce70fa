// Default schedules of matrix products: they apply, and the code is right for odd extents.
#include <QtTest>

#include "engine/hardware/detect.h"
#include "engine/ir/interpreter.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "tests/support/compiled.h"
#include "tests/support/random_schedules.h"

using namespace tw;

class ProductsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { backend_ = create_cpu_backend(detect_host()).value(); }

  /// Rows of one task and of several, with rests of all kinds, with an epilogue and without, and
  /// weights of one matrix for each of several vectors.
  void a_matrix_times_a_vector_goes_by_rows_data() {
    QTest::addColumn<QString>("text");
    auto dense = [](int depth, int columns, bool epilogue) {
      QString text = QString(
                         "tilewright te 1\n"
                         "kernel dense(A: f32[1, %1], W: f32[%1, %2] @param, B: f32[%2]) -> %3\n"
                         "  P[i in 1, j in %2] = sum[k in %1] A[i, k] * W[k, j]\n")
                         .arg(depth)
                         .arg(columns)
                         .arg(epilogue ? "Y" : "P");
      if (epilogue) text += QString("  Y[i in 1, j in %1] = max(P[i, j] + B[j], 0)\n").arg(columns);
      return text;
    };
    for (auto [depth, columns] : {std::pair{16, 256}, {17, 256}, {64, 1024}, {131, 777}, {33, 259}})
      for (bool epilogue : {false, true})
        QTest::addRow("%dx%d%s", depth, columns, epilogue ? " relu" : "")
            << dense(depth, columns, epilogue);
    QTest::newRow("several tasks") << dense(40, 2 * 4096 + 3, true);
    QTest::newRow("a matrix for each") << "tilewright te 1\n"
                                          "kernel step(A: f32[3, 1, 37], W: f32[3, 37, 301]) -> P\n"
                                          "  P[b in 3, i in 1, j in 301] = sum[k in 37] A[b, i, k] "
                                          "* W[b, k, j]\n";
    QTest::newRow("a sum over rows") << "tilewright te 1\n"
                                        "kernel total(W: f32[3, 37, 301]) -> P\n"
                                        "  P[b in 3, j in 301] = sum[k in 37] W[b, k, j]\n";
  }
  void a_matrix_times_a_vector_goes_by_rows() {
    QFETCH(QString, text);
    std::string script = script_of(text);
    QVERIFY2(script.find("k.0, k.1 = split(P.k, factor=8)") != std::string::npos, script.c_str());
    is_right(text, script);
  }

  /// Few columns fit registers, and several rows use each of the weights again: other rules.
  void a_short_row_and_several_vectors_do_not() {
    for (char const* text : {"tilewright te 1\n"
                             "kernel f(A: f32[1, 64], W: f32[64, 48]) -> P\n"
                             "  P[i in 1, j in 48] = sum[k in 64] A[i, k] * W[k, j]\n",
                             "tilewright te 1\n"
                             "kernel f(A: f32[5, 64], W: f32[64, 300]) -> P\n"
                             "  P[i in 5, j in 300] = sum[k in 64] A[i, k] * W[k, j]\n"}) {
      std::string script = script_of(text);
      QVERIFY2(script.find("split(P.k") == std::string::npos, script.c_str());
      is_right(text, script);
    }
  }

private:
  std::string script_of(QString const& text) {
    auto program = te::to_program(te::parse_kernel(text.toStdString()).value()).value();
    return backend_->default_script(program).value();
  }
  void is_right(QString const& text, std::string const& script) {
    auto program = te::to_program(te::parse_kernel(text.toStdString()).value()).value();
    QVERIFY(std::count(script.begin(), script.end(), '\n') <= 25);
    auto scheduled = replay(Schedule(program), parse_script(script).value());
    QVERIFY2(scheduled, scheduled ? "" : (scheduled.error().message + "\n" + script).c_str());
    auto stages = lower(scheduled->program(), backend_->target(), backend_->passes()).value();
    auto inputs = testing::random_inputs(program, rng_);
    NDArray const want = ir::interpret(program, inputs).value()[0];
    for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull, CodeTier::kChecked}) {
      auto outputs =
          testing::run_compiled(stages.back().kernel, program, inputs, *backend_, tier, pool_);
      QVERIFY2(outputs, outputs ? "" : (to_sentence(outputs.error()) + "\n" + script).c_str());
      QVERIFY2(compare((*outputs)[0], want, 1e-5).equal, script.c_str());
    }
  }

  std::shared_ptr<Backend const> backend_;
  ThreadPool pool_{2};
  Rng rng_{7};
};

QTEST_GUILESS_MAIN(ProductsTest)
#include "products_test.moc"
