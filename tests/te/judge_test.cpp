// The judge of schedules: what is right in any order passes, what is wrong by one term does not.
#include <QtTest>
#include <algorithm>

#include "engine/ir/interpreter.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/te/expected.h"
#include "engine/te/inputs.h"
#include "engine/te/rounding.h"
#include "engine/tensor/bytes.h"
#include "engine/tensor/integers.h"
#include "tests/support/hard_kernels.h"
#include "tests/support/judged_trial.h"
#include "tests/support/small_kernels.h"

using namespace tw;
using namespace tw::testing;

namespace {

/// What the changed program computes; a failure counts as caught.
bool is_caught(Trial const& trial, ir::Stmt const& body) {
  ir::Program wrong = trial.program;
  wrong.body = body;
  auto outputs = ir::interpret(wrong, trial.inputs);
  return !outputs || !te::judge(*outputs, trial.expected).equal;
}

/// The loop ends one iteration early.
ir::Stmt without_tail(ir::Stmt const& body, ir::For const& loop) {
  return ir::replace_loop(
      body, loop.id,
      ir::make<ir::For>(loop.id, loop.var, ir::int_imm(*ir::as_int(loop.extent) - 1),
                        loop.loop_kind, loop.body));
}

/// The last iteration of the loop runs twice.
ir::Stmt with_tail_twice(ir::Stmt const& body, ir::For const& loop) {
  ir::Stmt whole = ir::make<ir::For>(loop.id, loop.var, loop.extent, loop.loop_kind, loop.body);
  ir::Stmt again =
      ir::substitute(loop.body, {{loop.name(), ir::int_imm(*ir::as_int(loop.extent) - 1)}});
  return ir::replace_loop(body, loop.id, ir::seq({whole, again}));
}

std::vector<std::string> all_kernels() {
  std::vector<std::string> texts = testing::small_kernels();
  texts.insert(texts.end(), testing::hard_kernels().begin(), testing::hard_kernels().end());
  return texts;
}

std::string const kSoftmax =
    "kernel softmax(X: f32[4, 300]) -> Y\n"
    "  m[b in 4] = max[k in 300] X[b, k]\n"
    "  e[b in 4, i in 300] = exp((X[b, i] - m[b]) * 20.0)\n"
    "  t[b in 4] = sum[k in 300] e[b, k]\n"
    "  Y[b in 4, i in 300] = e[b, i] / t[b]\n";

}  // namespace

class JudgeTest : public QObject {
  Q_OBJECT
private slots:
  /// Where the outputs lie nobody knows of roundings: limits must say what the judge says.
  void limits_say_what_the_judge_says() {
    int compared = 0, right = 0;
    for (DType type : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16})
      for (double value :
           {0.0, 1.0, -1.0, 3.14159, -2e-5, 1e-42, 65000.0, -3e38, double(INFINITY), double(NAN)})
        for (double bound : {0.0, 1e-7, 1e-3, 0.6, 1e4, 1e38, double(INFINITY)}) {
          te::ExpectedOutput expected{array(DType::kF64, {1}, {value}),
                                      array(DType::kF64, {1}, {bound})};
          Limits limits = te::limits_of(expected, type).value();
          for (double one : around(value, bound)) {
            NDArray actual = array(type, {1}, {one});
            bool within = first_outside(type, bytes_of(actual), bytes_of(limits.low),
                                        bytes_of(limits.high)) < 0;
            bool equal = te::judge(actual, expected).equal;
            ++compared;
            right += equal;
            if (within != equal)
              qInfo("%s %.17g bound %.17g: %.17g judged %d", to_text(type).data(), value, bound,
                    actual.value_at(0), equal);
            QCOMPARE(within, equal);
          }
        }
    qInfo("%d values, %d of them right", compared, right);
    QVERIFY(right > compared / 10 && right < compared * 9 / 10);
  }

  void limits_of_whole_numbers_are_the_numbers() {
    for (DType type : {DType::kI8, DType::kU16, DType::kI32, DType::kI64, DType::kBool}) {
      te::ExpectedOutput expected{array(type, {3000}, std::vector<double>(3000, 1)), {}};
      Limits limits = te::limits_of(expected, type).value();
      NDArray actual = expected.values.clone();
      auto outside = [&] {
        return first_outside(type, bytes_of(actual), bytes_of(limits.low), bytes_of(limits.high));
      };
      QCOMPARE(outside(), int64_t(-1));
      actual.set_value(2100, 0);
      QCOMPARE(outside(), int64_t(2100));
    }
  }

  void sums_of_products_are_exact_in_any_order() {
    Trial trial = trial_of(
        "kernel matmul(A: f32[9, 3000], B: f32[3000, 7]) -> C\n"
        "  C[i in 9, j in 7] = sum[k in 3000] A[i, k] * B[k, j]\n");
    QVERIFY(trial.expected[0].bounds.empty());
    NDArray backwards = NDArray::create(DType::kF32, {9, 7}).value();
    auto a = trial.inputs[0].as<float>(), b = trial.inputs[1].as<float>();
    for (size_t i = 0; i < 9; ++i)
      for (size_t j = 0; j < 7; ++j) {
        float sum = 0;
        for (size_t k = 3000; k-- > 0;) sum += a[i * 3000 + k] * b[k * 7 + j];
        backwards.as<float>()[i * 7 + j] = sum;
      }
    QVERIFY(te::judge(backwards, trial.expected[0]).equal);
    backwards.as<float>()[13] -= a[13 / 7 * 3000] * b[13 % 7];  // one of 3000 terms
    Comparison missing = te::judge(backwards, trial.expected[0]);
    QVERIFY(!missing.equal);
    QCOMPARE(missing.worst_index, 13);
  }

  void a_small_softmax_output_may_not_be_zero() {
    Trial trial = trial_of(kSoftmax);
    QVERIFY(!trial.expected[0].bounds.empty());
    QVERIFY(te::judge(trial.outputs, trial.expected).equal);
    QCOMPARE(te::undecided(trial.expected), 0);
    auto values = trial.outputs[0].as<float>();
    auto least = std::ranges::min_element(values);
    QVERIFY(*least > 0 && double(*least) < 1e-9);
    *least = 0;
    QVERIFY(!te::judge(trial.outputs, trial.expected).equal);
    // The largest difference against the largest element sees nothing there.
    QVERIFY(compare(trial.outputs[0], trial.expected[0].values).equal);
  }

  void a_long_recurrence_is_judged_and_does_not_saturate() {
    Trial trial = trial_of(
        "kernel lstm(X: f32[20, 40], W: f32[40, 50] @param, R: f32[50, 50] @param) -> H\n"
        "  p[scan t in 20, k in 50]: f32 = select(1 <= t, H[t-1, k], 0)\n"
        "  g[step t in 20, j in 50]: f32 = sum[k in 50] p[t, k] * R[j, k]\n"
        "  x[step t in 20, j in 50]: f32 = sum[k in 40] X[t, k] * W[k, j]\n"
        "  H[step t in 20, j in 50]: f32 = tanh(g[t, j] + x[t, j])\n");
    QCOMPARE(te::undecided(trial.expected), 0);
    QVERIFY(te::judge(trial.outputs, trial.expected).equal);
    for (int64_t i = 0; i < trial.outputs[0].size(); ++i) {
      QVERIFY(std::abs(trial.outputs[0].value_at(i)) < 0.999);
      QVERIFY(trial.expected[0].bounds.value_at(i) < 1e-4);
    }
  }

  void integers_are_exact() {
    Trial trial = trial_of(
        "kernel products(A: i64[4, 5], B: i64[5, 3]) -> C\n"
        "  C[i in 4, j in 3]: i64 = sum[k in 5] A[i, k] * B[k, j] * 1000000007\n");
    QVERIFY(te::judge(trial.outputs, trial.expected).equal);
    trial.outputs[0].as<int64_t>()[5] += 1;
    QVERIFY(!te::judge(trial.outputs, trial.expected).equal);
    QVERIFY(!compare(trial.outputs[0], trial.expected[0].values).equal);
  }

  void not_a_number_is_right_only_where_it_is_expected() {
    Trial trial = trial_of(
        "kernel root(X: f32[3]) -> Y\n"
        "  Y[i in 3] = sqrt(X[i])\n");
    trial.outputs[0].as<float>()[1] = std::numeric_limits<float>::quiet_NaN();
    QVERIFY(!te::judge(trial.outputs, trial.expected).equal);
  }

  void inputs_stay_inside_of_what_they_index_and_of_what_functions_take() {
    auto kernel =
        te::parse_kernel(
            "tilewright te 1\n"
            "kernel k(T: f32[6, 4], I: i64[50], V: f32[30], S: f32[30]) -> (Y, Z)\n"
            "  Y[i in 50, j in 4] = T[max(0, min(select(I[i] < 0, I[i] + 6, I[i]), 5)), j]\n"
            "  u[i in 30] = V[i] + 0.001\n"
            "  Z[i in 30] = sqrt(u[i]) / (S[i] * 2.0)\n")
            .value();
    auto inputs = te::proving_inputs(kernel, 3).value();
    for (int64_t value : inputs[1].as<int64_t>()) QVERIFY(value >= 0 && value < 6);
    QCOMPARE(*std::ranges::max_element(inputs[1].as<int64_t>()), 5);
    for (size_t i : {size_t(2), size_t(3)})
      for (float value : inputs[i].as<float>()) QVERIFY(value > 0);
    QVERIFY(std::ranges::any_of(inputs[0].as<float>(), [](float v) { return v < 0; }));
  }

  void stored_values_may_differ_by_a_share_of_themselves() {
    NDArray stored = NDArray::create(DType::kF32, {1000}).value();
    for (int64_t i = 0; i < 1000; ++i) stored.set_value(i, i == 7 ? 0.9 : 1e-4);
    te::ExpectedOutput expected = te::stored_output(stored.clone());
    NDArray actual = stored.clone();
    actual.set_value(7, 0.9003);
    actual.set_value(9, 1.01e-4);
    QVERIFY(te::judge(actual, expected).equal);
    actual.set_value(11, 0);
    QVERIFY(!te::judge(actual, expected).equal);
    QCOMPARE(te::judge(actual, expected).worst_index, 11);
    QVERIFY(compare(actual, stored).equal);
  }

  void what_the_interpreter_computes_in_f32_is_right() {
    Rng rng(20261122);
    int64_t elements = 0, undecided = 0;
    // A long run is asked for with TW_JUDGED.
    int kernels = qEnvironmentVariableIntValue("TW_JUDGED");
    if (kernels <= 0) kernels = 400;
    for (int i = 0; i < kernels; ++i) {
      auto texts = all_kernels();
      std::string text = size_t(i) < texts.size() ? texts[size_t(i)] : testing::random_kernel(rng);
      Trial trial = trial_of(text, rng.next());
      Comparison answer = te::judge(trial.outputs, trial.expected);
      QVERIFY2(answer.equal, (text + std::to_string(answer.max_abs_diff) + " at " +
                              std::to_string(answer.worst_index))
                                 .c_str());
      for (NDArray const& output : trial.outputs) elements += output.size();
      undecided += te::undecided(trial.expected);
    }
    qInfo("%lld of %lld elements undecided", static_cast<long long>(undecided),
          static_cast<long long>(elements));
    QVERIFY(undecided * 100 <= elements);
  }

  void wrong_programs_are_caught() {
    int tails = 0, twice = 0, swapped = 0, zeroed = 0;
    for (std::string const& text : all_kernels()) {
      Trial trial = trial_of(text, 5);
      for (ir::LoopSite const& site : ir::loops_of(trial.program.body)) {
        if (*ir::as_int(site.loop->extent) < 2 || is_idle(trial, *site.loop)) continue;
        // A gather need not read every row of what it reads from.
        bool caught = is_caught(trial, without_tail(trial.program.body, *site.loop));
        QVERIFY2(caught || trial.kernel.name.starts_with("gather"),
                 (text + "without the tail of " + site.loop->name()).c_str());
        tails += caught;
        if (!is_sum(trial, *site.loop)) continue;
        QVERIFY2(is_caught(trial, with_tail_twice(trial.program.body, *site.loop)),
                 (text + "twice the tail of " + site.loop->name()).c_str());
        ++twice;
      }
      for (size_t i = 0; i < trial.outputs.size(); ++i) {
        for (auto [wrong, count] :
             {std::pair{swapped_in(trial, i), &swapped}, {zeroed_in(trial, i), &zeroed}}) {
          if (!wrong) continue;
          QVERIFY2(!te::judge(*wrong, trial.expected[i]).equal, text.c_str());
          ++*count;
        }
      }
    }
    qInfo("%d tails, %d terms twice, %d swapped, %d zeroed", tails, twice, swapped, zeroed);
    QVERIFY(tails > 100 && twice > 15 && swapped > 20 && zeroed > 20);
  }

private:
  /// Loops whose last iteration cannot matter: of a maximum that it does not reach.
  static bool is_idle(Trial const& trial, ir::For const& loop) {
    for (ir::BlockSite const& site : ir::blocks_of(loop.body))
      for (ir::IterVar const& iter : site.block->iters)
        if (iter.kind == ir::IterKind::kReduce && uses(iter.binding, loop.name()))
          return !is_sum(trial, loop);
    return false;
  }

  static bool uses(ir::Expr const& e, std::string const& name) {
    bool found = false;
    ir::walk(e, [&](ir::Expr const& child) {
      auto const* variable = child.as<ir::Variable>();
      found = found || (variable && variable->name == name);
      return !found;
    });
    return found;
  }

  static bool is_sum(Trial const&, ir::For const& loop) {
    for (ir::BlockSite const& site : ir::blocks_of(loop.body)) {
      auto reduction = ir::reduction_of(*site.block);
      if (!reduction || reduction->op != ir::BinaryOp::kAdd) continue;
      for (ir::IterVar const& iter : site.block->iters)
        if (iter.kind == ir::IterKind::kReduce && uses(iter.binding, loop.name())) return true;
    }
    return false;
  }

  /// With the first two elements that are not equal exchanged, if there are any.
  static std::optional<NDArray> swapped_in(Trial const& trial, size_t output) {
    NDArray wrong = trial.outputs[output].clone();
    for (int64_t i = 1; i < wrong.size(); ++i) {
      double a = wrong.value_at(0), b = wrong.value_at(i);
      if (a == b) continue;
      wrong.set_value(0, b);
      wrong.set_value(i, a);
      return wrong;
    }
    return std::nullopt;
  }

  /// Actual values on both sides of the edges of a bound (not on them), and what is no number.
  static std::vector<double> around(double value, double bound) {
    std::vector<double> actual = {value, -value, 0.0,    INFINITY, -INFINITY,
                                  NAN,   65504,  -65504, 1e300};
    if (!std::isfinite(bound)) bound = std::abs(value);
    for (double share : {-4.0, -2.1, -1.99, -1.0, 1.0, 1.99, 2.1, 4.0})
      actual.push_back(value + share * bound);
    return actual;
  }

  /// With the smallest element that is not 0 set to 0.
  static std::optional<NDArray> zeroed_in(Trial const& trial, size_t output) {
    NDArray wrong = trial.outputs[output].clone();
    int64_t least = -1;
    for (int64_t i = 0; i < wrong.size(); ++i) {
      double value = std::abs(wrong.value_at(i));
      if (value > 0 && (least < 0 || value < std::abs(wrong.value_at(least)))) least = i;
    }
    if (least < 0) return std::nullopt;
    wrong.set_value(least, 0);
    return wrong;
  }
};

QTEST_GUILESS_MAIN(JudgeTest)
#include "judge_test.moc"
