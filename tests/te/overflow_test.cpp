// The judge of schedules where floats are too large for their type: what is infinite in one order
// and not in another.
#include <QtTest>
#include <limits>

#include "engine/ir/expr.h"
#include "engine/tensor/integers.h"
#include "tests/support/judged_trial.h"

using namespace tw;
using namespace tw::testing;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Its first stage, a sum that texts keep in f32, kept in f16.
te::Kernel in_halves(te::Kernel kernel) {
  kernel.stages[0].output = kernel.stages[1].output;
  kernel.stages[0].body = kernel.stages[0].body.as<ir::Cast>()->a;
  kernel.stages.resize(1);
  return kernel;
}

/// A small one, and others as large as the type holds.
NDArray large_integers() {
  NDArray large = NDArray::create(DType::kI64, {4}).value();
  for (int64_t i = 0; i < 4; ++i)
    set_integer(large, i, i == 0 ? 3 : std::numeric_limits<int64_t>::max() / (i < 2 ? i : -i));
  return large;
}

/// The first elements of the first two outputs, which come of a small integer alone.
void is_judged_where_nothing_is_too_large(Trial const& trial) {
  QVERIFY(te::judge(trial.outputs, trial.expected).equal);
  for (size_t output : {size_t(0), size_t(1)}) {
    std::vector<NDArray> wrong = trial.outputs;
    wrong[output] = wrong[output].clone();  // copies share their elements
    wrong[output].set_value(0, wrong[output].value_at(0) * 1.001);
    QVERIFY(!te::judge(wrong, trial.expected).equal);
  }
}

}  // namespace

class OverflowTest : public QObject {
  Q_OBJECT
private slots:
  /// A part of a sum of halves may be infinite though the sum is not: its order decides.
  void a_sum_of_halves_that_overflows_on_the_way_may_be_infinite_or_not() {
    te::Kernel kernel = te::parse_kernel(
                            "tilewright te 1\nkernel halves(X: f16[4, 4]) -> Y\n"
                            "  Y[i in 4]: f16 = sum[k in 4] X[i, k]\n")
                            .value();
    std::vector<double> values{40000, 40000, -40000, 20000,  // decided by the order
                               40000, 40000, 40000,  40000,  // infinite in any order
                               4,     -2,    1,      0.5,    // exact
                               6000,  -7,    600,    3.25};
    Trial trial = trial_with(in_halves(kernel), {array(DType::kF16, {4, 4}, values)});
    QVERIFY(std::isinf(trial.outputs[0].value_at(0)));
    QVERIFY(te::judge(trial.outputs, trial.expected).equal);
    QCOMPARE(te::undecided(trial.expected), 1);
    for (auto [at, value, right] : {std::tuple{0, 60000.0, true},
                                    {0, kInfinity, true},
                                    {1, kInfinity, true},
                                    {1, 65504.0, false},
                                    {1, -kInfinity, false},
                                    {1, double(NAN), false},
                                    {2, 3.5, true},
                                    {2, 1.5, false},
                                    {2, kInfinity, false},
                                    {3, 5996.0, false}}) {
      NDArray changed = trial.outputs[0].clone();
      changed.set_value(at, value);
      QVERIFY2(te::judge(changed, trial.expected[0]).equal == right,
               qPrintable(QString("%1 at %2").arg(value).arg(at)));
    }
  }

  /// What reads an infinity may get NaN, or a whole number: nothing is known of it, of all else
  /// everything.
  void what_is_made_of_a_half_that_overflows_is_not_judged_and_all_else_is() {
    std::string text =
        "kernel readers(X: f16[3, 2]) -> (Y, Z, N)\n"
        "  T[i in 3]: f16 = X[i, 0] * X[i, 1]\n"
        "  Y[i in 3]: f32 = f32(T[i]) - 65000.0\n"
        "  Z[i in 3]: f16 = (X[i, 0] * X[i, 1] - 60000.0:f16) * 0.5:f16\n"
        "  N[i in 3]: i64 = i64(min(T[i], 100.0:f16) + T[i])\n";
    Trial trial = trial_with(text, {array(DType::kF16, {3, 2}, {400, 300, 0.5, 3, -2, 8})});
    QVERIFY(te::judge(trial.outputs, trial.expected).equal);
    QCOMPARE(te::undecided(trial.expected), 3);
    for (size_t output = 0; output < 3; ++output)
      for (int64_t i = 0; i < 3; ++i) {
        std::vector<NDArray> changed;
        for (NDArray const& array : trial.outputs) changed.push_back(array.clone());
        changed[output].set_value(i, 12345);
        QCOMPARE(te::judge(changed, trial.expected).equal, i == 0);
      }
  }

  /// Integers over their whole range as floats, whose powers no f32 holds: infinite there, finite
  /// in double precision; and what is made of that is no number here, and zero there.
  void what_is_made_of_a_float_that_overflows_is_not_judged_and_all_else_is() {
    std::string text =
        "kernel powers(I: i64[4]) -> (Y, Z, S)\n"
        "  T[i in 4] = f32(I[i]) * f32(I[i])\n"
        "  Y[i in 4] = T[i] * T[i] * 0.0 + 1.0\n"
        "  Z[i in 4] = f32(I[i]) * 2.0\n"
        "  S[i in 4] = sum[k in 4] T[k] * T[i]\n";
    Trial trial = trial_with(text, {large_integers()});
    QVERIFY(std::isnan(trial.outputs[0].value_at(1)));
    is_judged_where_nothing_is_too_large(trial);
  }

  /// How large the values of a recurrence become is not known: of integers over their whole range
  /// too large, and the plain nest itself was called wrong.
  void a_recurrence_of_large_integers_is_judged_where_it_is_not_too_large() {
    std::string text =
        "kernel powers(I: i64[4]) -> (Y, Z)\n"
        "  T[scan i in 4] = f32(I[i]) * f32(I[i]) * f32(I[i]) + select(1 <= i, T[i-1] * 0.5, 0.0)\n"
        "  Y[scan i in 4] = T[i] * T[i] * T[i] * 0.0 + select(1 <= i, Y[i-1] * 0.5, 1.0)\n"
        "  Z[i in 4] = f32(I[i]) * 2.0\n";
    Trial trial = trial_with(text, {large_integers()});
    QVERIFY(std::isnan(trial.outputs[0].value_at(1)));
    is_judged_where_nothing_is_too_large(trial);
  }

  /// A product far too large, and one that is small beside it and too large, too, of the other
  /// sign.
  void infinities_of_both_signs_are_no_number() {
    Trial trial = trial_with(
        "kernel signs(X: f32[2], Y: f32[2]) -> Z\n"
        "  Z[i in 1] = sum[k in 2] X[k] * Y[k]\n",
        {array(DType::kF32, {2}, {1e38, -1e34}), array(DType::kF32, {2}, {1e37, 1e34})});
    QVERIFY(std::isnan(trial.outputs[0].value_at(0)));
    QVERIFY(te::judge(trial.outputs, trial.expected).equal);
  }

  /// Of quotients, powers, logarithms and recurrences nobody knows how large they are; beside
  /// integers over their whole range that they are large enough. The plain nest itself was called
  /// wrong.
  void what_is_not_known_is_large_beside_what_is_large_data() {
    QTest::addColumn<QString>("factor");
    QTest::newRow("quotient") << "X[k] * X[k] / (X[i] * X[i] + 1.0)";
    QTest::newRow("power") << "pow(X[k] * X[k] + 1.0, 2.0)";
    QTest::newRow("logarithm") << "log(X[k] * X[k] + 1.5)";
    QTest::newRow("magnitude") << "abs(X[k])";
    QTest::newRow("recurrence") << "R[k]";
    QTest::newRow("recurrence of integers") << "f32(N[k])";
  }
  void what_is_not_known_is_large_beside_what_is_large() {
    QFETCH(QString, factor);
    std::string text =
        "kernel sums(X: f32[4], I: i64[4]) -> (Y, Z)\n"
        "  R[scan i in 4] = X[i] + select(1 <= i, R[i-1], 0.0)\n"
        "  N[scan i in 4]: i32 = i32(X[i] * 8.0) + select(1 <= i, N[i-1], 0:i32)\n"
        "  Y[i in 4] = sum[k in 4] " +
        factor.toStdString() +
        " * f32(I[k]) * f32(I[i]) * f32(I[(k+1) % 4])\n"
        "  Z[i in 4] = sum[k in 4] " +
        factor.toStdString() + " * 2.0\n";
    Trial trial =
        trial_with(text, {array(DType::kF32, {4}, {0.5, 0.75, -0.25, 1}), large_integers()});
    QVERIFY(std::isnan(trial.outputs[0].value_at(1)));
    QVERIFY(te::judge(trial.outputs, trial.expected).equal);
    std::vector<NDArray> wrong = trial.outputs;
    wrong[1].set_value(0, wrong[1].value_at(0) * 1.001 + 1e-3);  // where nothing is too large
    QVERIFY(!te::judge(wrong, trial.expected).equal);
  }

  /// Where the bound is larger than the value either infinity is right, and none where both are
  /// small.
  void an_infinity_has_the_signs_that_the_value_may_have() {
    struct Case {
      double value, bound;
      bool below, above;
    };
    for (auto [value, bound, below, above] : {Case{1e59, 1e69, true, true},
                                              {-1e59, 1e69, true, true},
                                              {1e75, 1e69, false, true},
                                              {-1e75, 1e69, true, false},
                                              {0, 1e39, true, true},
                                              {1e38, 1e38, false, false},
                                              {1e38, 2e38, false, true}}) {
      te::ExpectedOutput expected{array(DType::kF64, {1}, {value}),
                                  array(DType::kF64, {1}, {bound})};
      Limits limits = te::limits_of(expected, DType::kF32).value();
      for (bool negative : {true, false}) {
        double infinite = negative ? -kInfinity : kInfinity;
        bool right = negative ? below : above;
        QCOMPARE(te::judge(array(DType::kF32, {1}, {infinite}), expected).equal, right);
        double limit = negative ? limits.low.value_at(0) : limits.high.value_at(0);
        QCOMPARE(limit == infinite, right);
      }
    }
  }
};

QTEST_GUILESS_MAIN(OverflowTest)
#include "overflow_test.moc"
