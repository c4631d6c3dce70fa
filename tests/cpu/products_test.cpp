// Default schedules of matrix products: they apply, and the code is right for odd extents.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"
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

  /// A large matrix that several vectors read, for a second cache of 16 KB; with as many as are too
  /// many.
  void a_large_matrix_times_few_vectors_goes_by_rows_data() {
    QTest::addColumn<int>("vectors");
    QTest::addColumn<int>("columns");
    QTest::addRow("2") << 2 << 301;
    QTest::addRow("4") << 4 << 256;
    QTest::addRow("too many") << 30 << 301;
  }
  void a_large_matrix_times_few_vectors_goes_by_rows() {
    QFETCH(int, vectors);
    QFETCH(int, columns);
    QString text = QString(
                       "tilewright te 1\n"
                       "kernel f(A: f32[%1, 39], W: f32[39, %2], B: f32[%2]) -> Y\n"
                       "  P[i in %1, j in %2] = sum[k in 39] A[i, k] * W[k, j]\n"
                       "  Y[i in %1, j in %2] = max(P[i, j] + B[j], 0)\n")
                       .arg(vectors)
                       .arg(columns);
    Hardware hardware = detect_host();
    for (MemoryLevel& cache : hardware.memories)
      if (cache.name == "L2") cache.bytes = 16 << 10;
    auto program = te::to_program(te::parse_kernel(text.toStdString()).value()).value();
    std::string script = create_cpu_backend(hardware).value()->default_script(program).value();
    bool few = vectors <= backend_->target().registers() / 4;
    QVERIFY2((script.find("k.0, k.1 = split(P.k, factor=8)") != std::string::npos) == few,
             script.c_str());
    is_right(text, script);
  }

  /// Products of a batch, with operands given in every order and one for all, with columns that
  /// fill vectors, that are cut evenly, and that leave a rest.
  void a_product_of_a_batch_is_right_data() {
    QTest::addColumn<QString>("text");
    for (char const* a : {"b, i, k", "b, k, i", "0, i, k"})
      for (char const* b : {"b, k, j", "b, j, k", "0, k, j"})
        for (auto [rows, depth, columns] : {std::tuple{7, 5, 100}, {13, 17, 49}, {1, 33, 3}}) {
          auto shape = [&, r = rows, d = depth, c = columns](QString at) {
            if (at.startsWith("0")) at.replace(0, 1, "1");
            return at.replace("b", "3")
                .replace("i", QString::number(r))
                .replace("k", QString::number(d))
                .replace("j", QString::number(c));
          };
          QTest::addRow("[%s] [%s] %dx%dx%d", a, b, rows, depth, columns)
              << QString(
                     "tilewright te 1\n"
                     "kernel f(A: f32[%1], B: f32[%2]) -> P\n"
                     "  P[b in 3, i in %3, j in %4] = sum[k in %5] A[%6] * B[%7]\n")
                     .arg(shape(a), shape(b))
                     .arg(rows)
                     .arg(columns)
                     .arg(depth)
                     .arg(a, b);
        }
  }
  void a_product_of_a_batch_is_right() {
    QFETCH(QString, text);
    is_right(text, script_of(text));
  }

  /// Both operands go along the sum; lanes go along the columns of a copy. With a batch, rests of
  /// all kinds, and as many rows as are too few.
  void an_operand_along_the_sum_is_transposed_in_panels_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("turned");
    auto product = [](int rows, int depth, int columns) {
      return QString(
                 "tilewright te 1\n"
                 "kernel f(A: f32[%1, %2], W: f32[%3, %2], B: f32[%3]) -> Y\n"
                 "  P[i in %1, j in %3] = sum[k in %2] A[i, k] * W[j, k]\n"
                 "  Y[i in %1, j in %3] = max(P[i, j] + B[j], 0)\n")
          .arg(rows)
          .arg(depth)
          .arg(columns);
    };
    for (auto [rows, depth, columns] : {std::tuple{16, 32, 64}, {17, 33, 35}, {40, 70, 101}})
      QTest::addRow("%dx%dx%d", rows, depth, columns) << product(rows, depth, columns) << true;
    QTest::newRow("few rows") << product(15, 64, 64) << false;
    QTest::newRow("batch")
        << "tilewright te 1\n"
           "kernel f(A: f32[3, 19, 37], W: f32[3, 51, 37]) -> P\n"
           "  P[b in 3, i in 19, j in 51] = sum[k in 37] A[b, i, k] * W[b, j, k]\n"
        << true;
    QTest::newRow("one matrix for a batch")
        << "tilewright te 1\n"
           "kernel f(A: f32[3, 9, 37], W: f32[1, 51, 37]) -> P\n"
           "  P[b in 3, i in 9, j in 51] = sum[k in 37] A[b, i, k] * W[0, j, k]\n"
        << true;
    QTest::newRow("with itself") << "tilewright te 1\n"
                                    "kernel f(A: f32[50, 37]) -> P\n"
                                    "  P[i in 50, j in 50] = sum[k in 37] A[i, k] * A[j, k]\n"
                                 << false;
  }
  void an_operand_along_the_sum_is_transposed_in_panels() {
    QFETCH(QString, text);
    QFETCH(bool, turned);
    std::string script = script_of(text);
    QVERIFY2((script.find("cache_read(P") != std::string::npos) == turned, script.c_str());
    if (turned) QVERIFY2(script.find("_cache, P.j.0)") != std::string::npos, script.c_str());
    is_right(text, script);
  }

  /// Long rows, and rows that are many for a small second cache; with rests of all kinds.
  void far_rows_are_copied_in_panels_data() {
    QTest::addColumn<QString>("text");
    auto product = [](int rows, int depth, int columns) {
      return QString(
                 "tilewright te 1\n"
                 "kernel f(A: f32[%1, %2], W: f32[%2, %3], B: f32[%3]) -> Y\n"
                 "  P[i in %1, j in %3] = sum[k in %2] A[i, k] * W[k, j]\n"
                 "  Y[i in %1, j in %3] = max(P[i, j] + B[j], 0)\n")
          .arg(rows)
          .arg(depth)
          .arg(columns);
    };
    for (auto [rows, depth, columns] :
         {std::tuple{32, 7, 1024}, {37, 9, 1029}, {35, 300, 67}, {33, 20, 528}})
      QTest::addRow("%dx%dx%d", rows, depth, columns) << product(rows, depth, columns);
    QTest::newRow("batch")
        << "tilewright te 1\n"
           "kernel f(A: f32[2, 33, 11], W: f32[2, 11, 1027]) -> P\n"
           "  P[b in 2, i in 33, j in 1027] = sum[k in 11] A[b, i, k] * W[b, k, j]\n";
    QTest::newRow("one matrix for a batch")
        << "tilewright te 1\n"
           "kernel f(A: f32[3, 11, 250], W: f32[1, 250, 99]) -> P\n"
           "  P[b in 3, i in 11, j in 99] = sum[k in 250] A[b, i, k] * W[0, k, j]\n";
    QTest::newRow("a second product of the copy")
        << "tilewright te 1\n"
           "kernel f(A: f32[33, 7], W: f32[7, 1030], V: f32[1030, 70]) -> Q\n"
           "  P[i in 33, j in 1030] = sum[k in 7] A[i, k] * W[k, j]\n"
           "  Q[i in 33, j in 70] = sum[k in 1030] P[i, k] * V[k, j]\n";
  }
  void far_rows_are_copied_in_panels() {
    QFETCH(QString, text);
    Hardware hardware = detect_host();
    for (MemoryLevel& cache : hardware.memories)
      if (cache.name == "L2") cache.bytes = 64 << 10;
    auto small = create_cpu_backend(hardware).value();
    auto program = te::to_program(te::parse_kernel(text.toStdString()).value()).value();
    std::string script = small->default_script(program).value();
    QVERIFY2(script.find("tensor=W)") != std::string::npos ||
                 script.find("tensor=V)") != std::string::npos,
             script.c_str());
    QVERIFY2(script.find("_cache, ") != std::string::npos, script.c_str());
    is_right(text, script);
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
