// Sums of f16 and bf16 in the texts of kernels.
#include <QtTest>

#include <cmath>

#include "engine/ir/interpreter.h"
#include "engine/te/narrow.h"
#include "engine/te/te.h"

using namespace tw;

namespace {

te::Kernel read(std::string const& lines) {
  return te::parse_kernel("tilewright te 1\n" + lines).value();
}

NDArray filled(DType type, Shape const& shape, double value) {
  NDArray array = NDArray::create(type, shape).value();
  for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, value);
  return array;
}

double first(te::Kernel const& kernel, std::vector<NDArray> const& inputs) {
  return ir::interpret(te::to_program(kernel).value(), inputs).value()[0].value_at(0);
}

constexpr char kDot[] =
    "kernel dot(A: f16[4096], B: f16[4096]) -> C\n"
    "  C[i in 1] = sum[k in 4096] A[k] * B[k]\n";

}  // namespace

class NarrowTest : public QObject {
  Q_OBJECT
private slots:
  /// In f16 itself it stops at 2048, and each product of 300 by 300 is an infinity.
  void a_long_sum_is_kept_in_f32() {
    te::Kernel dot = read(kDot);
    QCOMPARE(first(dot, {filled(DType::kF16, {4096}, 1), filled(DType::kF16, {4096}, 1)}), 4096.0);
    NDArray a = filled(DType::kF16, {4096}, 0), b = filled(DType::kF16, {4096}, 300);
    a.set_value(0, 300), a.set_value(1, -300), a.set_value(2, 2);
    QCOMPARE(first(dot, {a, b}), 600.0);
  }

  void products_and_bf16_are_kept_so_too() {
    te::Kernel product = read("kernel p(A: bf16[64]) -> C\n  C[i in 1] = prod[k in 64] A[k]\n");
    double factor = 1.0078125;  // the number of bf16 behind 1
    double exact = std::pow(factor, 64), got = first(product, {filled(DType::kBF16, {64}, factor)});
    QVERIFY(std::abs(got - exact) <= 0x1p-8 * exact);
  }

  void a_recurrence_sums_in_f32() {
    te::Kernel kernel = read(
        "kernel r(X: f16[3, 1], W: f16[4096]) -> H\n"
        "  H[scan t in 3, i in 1]: f16 = sum[k in 4096] W[k] * select(t > 0, H[t - 1, i] * 0 + 1, "
        "X[t, i])\n");
    NDArray all = ir::interpret(te::to_program(kernel).value(),
                                {filled(DType::kF16, {3, 1}, 1), filled(DType::kF16, {4096}, 1)})
                      .value()[0];
    for (int64_t t = 0; t < 3; ++t) QCOMPARE(all.value_at(t), 4096.0);
  }

  /// A conversion in the text is meant.
  void what_is_converted_is_rounded_before_it_is_added() {
    te::Kernel kernel = read("kernel c(A: f32[4]) -> C\n  C[i in 1] = sum[k in 4] f16(A[k])\n");
    QCOMPARE(first(kernel, {filled(DType::kF32, {4}, 4097)}), 4.0 * 4096);
  }

  void names_that_are_taken_stay() {
    te::Kernel kernel = read("kernel c(C_sum: f16[4]) -> C\n  C[i in 1] = sum[k in 4] C_sum[k]\n");
    QCOMPARE(first(kernel, {filled(DType::kF16, {4}, 2)}), 8.0);
  }

  void sums_of_f32_and_largest_elements_are_as_they_were() {
    for (char const* type : {"f32", "f16"}) {
      std::string join = type == std::string("f32") ? "sum" : "max";
      te::Kernel kernel = read("kernel c(A: " + std::string(type) +
                               "[4]) -> C\n  C[i in 1] = " + join + "[k in 4] A[k]\n");
      QCOMPARE(kernel.stages.size(), size_t(1));
    }
  }

  void its_text_reads_back_as_the_same_kernel() {
    te::Kernel kernel = read(kDot);
    QCOMPARE(kernel.stages.size(), size_t(2));
    auto again = te::parse_kernel(te::to_text(kernel));
    QVERIFY2(again.has_value(), again ? "" : to_sentence(again.error()).c_str());
    QCOMPARE(te::to_text(*again), te::to_text(kernel));
  }
};

QTEST_GUILESS_MAIN(NarrowTest)
#include "narrow_test.moc"
