// Reads lie inside of their tensors, or the kernel is refused with the index that does not.
#include <QtTest>

#include "engine/te/bounds.h"

using namespace tw;

namespace {

/// Empty, or why the one stage of a kernel with the inputs X: f32[8], M: f32[4, 16], I: i64[8],
/// B: u8[8] and Z: f32[256] is refused.
QString refusal(QString const& stage) {
  QString text =
      "tilewright te 1\nkernel k(X: f32[8], M: f32[4, 16], I: i64[8], B: u8[8], Z: f32[256]) -> "
      "Y\n  " +
      stage + "\n";
  auto kernel = te::parse_kernel(text.toStdString(), "k.te");
  return kernel ? QString() : QString::fromStdString(kernel.error().message);
}

}  // namespace

class BoundsTest : public QObject {
  Q_OBJECT
private slots:
  void what_stays_inside_is_taken_data() {
    QTest::addColumn<QString>("stage");
    for (char const* stage : {
             "Y[i in 8] = X[7 - i]",
             "Y[i in 64] = M[i // 16, i % 16]",
             "Y[i in 8] = X[max(0, min(i + 3, 7))]",
             "Y[i in 8] = X[max(0, min(I[i], 7))]",
             "Y[i in 8] = X[I[i] % 8]",
             "Y[i in 8] = X[I[i] & 7]",
             "Y[i in 8] = Z[i64(B[i])]",
             "Y[i in 8] = Z[i64(saturate(u8, I[i]))]",
             "Y[i in 8] = X[(i * 8) >> 3]",
             "Y[i in 8] = X[i ^ 7]",
             "Y[i in 8] = X[~i + 8]",
             "Y[i in 8] = select(i < 7, X[i + 1], 0.0)",
             "Y[i in 8] = select(i >= 7, 0.0, X[i + 1])",
             "Y[i in 8] = select(not(i == 0), X[i - 1], 0.0)",
             "Y[i in 8] = select(i != 7, X[i + 1], 0.0)",
             "Y[i in 8] = sum[k in 3] select(0 <= i*2 + k - 3 && i*2 + k - 3 < 8, X[i*2 + k - 3], "
             "0.0)",
             "Y[i in 8] = sum[k in 3] select(i*2 + k < 3 || 11 <= i*2 + k, 0.0, X[i*2 + k - 3])",
             "Y[i in 8] = select(0 <= I[i] && I[i] < 8, X[I[i]], 0.0)",
             "Y[i in 8] = select(0 <= I[i] + 1 && I[i] + 1 < 8, X[I[i] + 1], 0.0)",
             "Y[i in 8] = select(i % 2 == 0, X[i // 2 * 2 + 1], X[i - 1])",
             "Y[i in 8] = select(0 < i, X[7 // i], 0.0)",
             "Y[i in 8] = select(X[i] < 0.0 && i > 0, X[i - 1], 0.0)",
             "Y[i in 8] = X[select(i < 4, i + 4, i - 4)]",
             "Y[i in 8] = select(i > 0 && 10 % i == 0, X[i], 0.0)",
         })
      QTest::newRow(stage) << QString(stage);
  }
  void what_stays_inside_is_taken() {
    QFETCH(QString, stage);
    QCOMPARE(refusal(stage), QString());
  }

  void what_may_leave_is_refused_data() {
    QTest::addColumn<QString>("stage");
    QTest::addColumn<QString>("sentence");
    auto outside = [](char const* stage, char const* index) {
      QTest::newRow(stage) << QString(stage)
                           << "stage Y reads 'X' out of bounds: its index " + QString(index) +
                                  ", but dimension 0 only from 0 to 7";
    };
    outside("Y[i in 8] = X[max(i, 100)]", "max(i, 100) is 100 at i=0");
    outside("Y[i in 8] = X[(i + 64) // 2]", "(i+64)//2 is 32 at i=0");
    outside("Y[i in 8] = X[i << 3]", "i << 3 is 8 at i=1");
    outside("Y[i in 8] = X[i << 40]", "i << 40 is 1099511627776 at i=1");
    outside("Y[i in 8] = X[i ^ 8]", "i ^ 8 is 8 at i=0");
    outside("Y[i in 8] = X[i | 8]", "i | 8 is 8 at i=0");
    outside("Y[i in 8] = X[(i + 8) & 15]", "i+8 & 15 is 8 at i=0");
    outside("Y[i in 8] = X[(i * 8) >> 1]", "i*8 >> 1 is 8 at i=2");
    outside("Y[i in 8] = select(i < 7, X[i + 2], 0.0)", "i+2 is 8 at i=6");
    outside("Y[i in 8] = select(i % 2 == 0, X[i + 2], 0.0)", "i+2 is 8 at i=6");
    QTest::newRow("a dimension that is too short")
        << "Y[i in 156] = M[i // 16, i % 16]"
        << "stage Y reads 'M' out of bounds: its index i//16 is 4 at i=64, but dimension 0 only "
           "from 0 to 3";
    QTest::newRow("data")
        << "Y[i in 8] = X[I[i]]"
        << "stage Y reads 'X' at I[i], which is not known to be from 0 to 7 in dimension 0: "
           "bound it, as in max(0, min(I[i], 7))";
    QTest::newRow("data below")
        << "Y[i in 8] = X[min(I[i], 7)]"
        << "stage Y reads 'X' at min(I[i], 7), which is not known to be from 0 to 7 in "
           "dimension 0: bound it, as in max(0, min(min(I[i], 7), 7))";
    // 2^63 - 1 + 1 is no sum of what the condition compares.
    QTest::newRow("data that wraps") << "Y[i in 8] = select(0 <= I[i] + 1, X[min(I[i], 7)], 0.0)"
                                     << "stage Y reads 'X' at min(I[i], 7), which is not known to "
                                        "be from 0 to 7 in dimension 0: "
                                        "bound it, as in max(0, min(min(I[i], 7), 7))";
    QTest::newRow("division by an axis") << "Y[i in 8] = X[7 // (i + 1)] + f32(7 // i)"
                                         << "stage Y divides by zero in 7//i at i=0";
    QTest::newRow("behind the wrong condition") << "Y[i in 8] = select(i < 3, f32(7 // i), 0.0)"
                                                << "stage Y divides by zero in 7//i at i=0";
    QTest::newRow("overflow")
        << "Y[i in 8] = X[((i + 1) * 4611686018427387904) % 8]"
        << "stage Y computes (i+1)*4611686018427387904, which does not fit in 64 bits";
  }
  void what_may_leave_is_refused() {
    QFETCH(QString, stage);
    QFETCH(QString, sentence);
    QCOMPARE(refusal(stage), sentence);
  }
};

QTEST_GUILESS_MAIN(BoundsTest)
#include "bounds_test.moc"
