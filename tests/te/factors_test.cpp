// What the products of a kernel are of.
#include <QtTest>

#include "engine/te/factors.h"

using namespace tw;

namespace {

std::string factors(std::string const& text) {
  auto kernel = te::parse_kernel("tilewright te 1\n" + text);
  if (!kernel) qFatal("%s", to_sentence(kernel.error()).c_str());
  auto type = te::type_of_factors(*kernel);
  return type ? std::string(to_text(*type)) : "none";
}

}  // namespace

class FactorsTest : public QObject {
  Q_OBJECT
private slots:
  void casts_to_the_type_of_the_sum_are_seen_through() {
    QCOMPARE(factors("kernel m(A: f16[4, 8], B: f16[8, 4]) -> C\n"
                     "  C[i in 4, j in 4] = sum[k in 8] f32(A[i, k]) * f32(B[k, j])\n"),
             std::string("f16"));
    QCOMPARE(factors("kernel m(A: f32[4, 8], B: f32[8, 4]) -> C\n"
                     "  C[i in 4, j in 4] = sum[k in 8] A[i, k] * B[k, j]\n"),
             std::string("f32"));
  }

  void padding_has_no_type_of_its_own() {
    QCOMPARE(factors("kernel c(X: f16[8], W: f16[3]) -> Y\n"
                     "  Y[i in 8] = sum[r in 3] select(1 <= i + r && i + r < 9, f32(X[max(0, "
                     "min(i + r - 1, 7))]), 0) * f32(W[r])\n"),
             std::string("f16"));
  }

  void the_stage_with_most_products_decides() {
    QCOMPARE(factors("kernel m(A: i8[16, 8], B: i8[8, 4], S: f32[16, 4]) -> D\n"
                     "  C[i in 16, j in 4] = sum[k in 8] i32(A[i, k]) * i32(B[k, j])\n"
                     "  D[i in 16] = sum[j in 4] f32(C[i, j]) * S[i, j]\n"),
             std::string("i8"));
  }

  void sums_of_other_terms_have_none() {
    QCOMPARE(factors("kernel s(A: f16[4, 8]) -> C\n"
                     "  C[i in 4] = sum[k in 8] f32(A[i, k])\n"),
             std::string("none"));
    QCOMPARE(factors("kernel m(A: f16[4, 8], B: f32[8]) -> C\n"
                     "  C[i in 4] = sum[k in 8] f32(A[i, k]) * B[k]\n"),
             std::string("none"));
  }
};

QTEST_GUILESS_MAIN(FactorsTest)
#include "factors_test.moc"
