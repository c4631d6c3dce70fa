// f16 and bf16 as machine code, for this processor and for others: what LLVM cannot select, or
// would call a library for, is computed by other instructions.
#include <QtTest>

#include <cmath>
#include <cstring>

#include "engine/ir/interpreter.h"
#include "engine/schedule/trace.h"
#include "engine/support/base/random.h"
#include "engine/te/te.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/compiler/cpu_targets.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/support/compiled.h"

using namespace tw;

namespace {

ir::Program program_of(std::string const& lines) {
  auto kernel = te::parse_kernel("tilewright te 1\n" + lines);
  return te::to_program(kernel.value()).value();
}

NDArray random_tensor(DType type, Shape const& shape, Rng& rng) {
  NDArray array = NDArray::create(type, shape).value();
  for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, rng.normal());
  return array;
}

/// Bits of the type's fraction.
int precision(DType type) { return type == DType::kBF16 ? 7 : type == DType::kF16 ? 10 : 23; }

bool close(double got, double want, DType type, double steps) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return true;
  if (!std::isfinite(got) || !std::isfinite(want)) return false;
  return std::abs(got - want) <=
         steps * std::ldexp(std::max(std::abs(want), 1e-30), -precision(type));
}

}  // namespace

class NarrowFloatsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { backend_ = create_cpu_backend(detect_host()).value(); }

  void every_operation_is_rounded_to_its_type_data() {
    QTest::addColumn<QString>("expression");
    for (char const* expression : {"X[i] + V[i]",
                                   "X[i] - V[i]",
                                   "X[i] * V[i]",
                                   "X[i] / V[i]",
                                   "X[i] * V[i] + X[i]",
                                   "max(X[i], V[i])",
                                   "min(X[i], 0)",
                                   "select(X[i] < V[i], X[i], V[i])",
                                   "0 - X[i]",
                                   "abs(X[i])",
                                   "sqrt(abs(X[i]))",
                                   "exp(X[i])",
                                   "log(abs(X[i]))",
                                   "tanh(X[i])",
                                   "erf(X[i])",
                                   "sin(X[i])",
                                   "cos(X[i])",
                                   "floor(X[i])",
                                   "ceil(X[i])",
                                   "round(X[i])",
                                   "pow(abs(X[i]), V[i])",
                                   "1 / (1 + exp(0 - X[i]))"})
      QTest::newRow(expression) << expression;
  }
  void every_operation_is_rounded_to_its_type() {
    QFETCH(QString, expression);
    for (DType type : {DType::kBF16, DType::kF16}) {
      std::string name(to_text(type));
      ir::Program program =
          program_of("kernel f(X: " + name + "[37], V: " + name +
                     "[37]) -> Y\n  Y[i in 37] = " + expression.toStdString() + "\n");
      Rng rng(11);
      std::vector<NDArray> inputs{random_tensor(type, {37}, rng), random_tensor(type, {37}, rng)};
      double const odd[] = {0, -0.0, INFINITY, -INFINITY, NAN};
      for (int i = 0; i < 5; ++i) inputs[0].set_value(i * 7, odd[i]);
      // One rounding may fall to the other side where the wide value differs in its last places.
      for (char const* script : {"", "i.0, i.1 = split(Y.i, factor=16)\nvectorize(i.1)\n"})
        compare_with_interpreter(program, script, inputs, type, 2);
    }
  }

  /// Where one side is no NaN LLVM makes its own minimum and maximum of them.
  void the_larger_of_a_half_and_a_number_needs_no_library() {
    char const* const kExpressions[] = {"max(X[i], 0)",
                                        "max(f16(I[i]), 3)",
                                        "max(min(f16(I[i]), 6), 0)",
                                        "select(2 < X[i], 2, X[i])",
                                        "max(select(X[i] < 1, 2.0:f16, 1.0:f16), f16(I[i]))",
                                        "max(select(X[i] < 1, 2.0:f16, 1.0:f16), 3)"};
    Rng rng(5);
    NDArray whole = NDArray::create(DType::kI64, {37}).value();
    for (int64_t i = 0; i < whole.size(); ++i) whole.set_value(i, double(rng.between(-9, 9)));
    std::vector<NDArray> inputs{random_tensor(DType::kF16, {37}, rng), whole};
    inputs[0].set_value(3, NAN);
    for (char const* expression : kExpressions) {
      ir::Program program =
          program_of(std::string("kernel f(X: f16[37], I: i64[37]) -> Y\n  Y[i in 37]: f16 = ") +
                     expression + "\n");
      NDArray expected = ir::interpret(program, inputs).value()[0];
      for (char const* script : {"", "i.0, i.1 = split(Y.i, factor=16)\nvectorize(i.1)\n"})
        for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull})
          QCOMPARE(compare(run(program, script, inputs, tier), expected, 0).max_abs_diff, 0.0);
    }
  }

  void conversions_agree_with_the_interpreter() {
    for (char const* from : {"bf16", "f16", "f32", "f64", "i32", "u8", "i64"})
      for (char const* to : {"bf16", "f16", "f32", "f64", "i32"}) {
        ir::Program program =
            program_of(std::string("kernel f(X: ") + from + "[33]) -> Y\n  Y[i in 33]: " + to +
                       " = " + to + "(X[i])\n");
        Rng rng(3);
        NDArray x = NDArray::create(program.inputs[0]->type, {33}).value();
        for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, double(rng.below(200)) / 8);
        DType type = program.outputs[0]->type;
        for (char const* script : {"", "i.0, i.1 = split(Y.i, factor=16)\nvectorize(i.1)\n"})
          compare_with_interpreter(program, script, {x}, type, 0);
      }
  }

  void products_of_every_width_compile_and_are_right() {
    for (DType type : {DType::kBF16, DType::kF16})
      for (int n : {1, 9, 17, 50, 100, 1001}) {
        std::string name(to_text(type)), width = std::to_string(n);
        ir::Program program = program_of("kernel f(A: " + name + "[17, 33], B: " + name + "[33, " +
                                         width + "]) -> C\n  C[i in 17, j in " + width +
                                         "] op matmul = sum[k in 33] A[i, k] * B[k, j]\n");
        Rng rng(7);
        std::vector<NDArray> inputs{random_tensor(type, {17, 33}, rng),
                                    random_tensor(type, {33, n}, rng)};
        std::string script = backend_->default_script(program).value();
        // Sums of 33 products with cancellation: compared absolutely, by their terms.
        NDArray ours = run(program, script, inputs, CodeTier::kFull);
        for (int64_t i = 0; i < 17; ++i)
          for (int64_t j = 0; j < n; ++j) {
            double sum = 0, terms = 0;
            for (int64_t k = 0; k < 33; ++k) {
              double term = inputs[0].value_at(i * 33 + k) * inputs[1].value_at(k * n + j);
              sum += term;
              terms += std::abs(term);
            }
            double bound = 34 * terms * std::ldexp(1.0, -precision(type) - 1);
            QVERIFY2(std::abs(ours.value_at(i * n + j) - sum) <= bound,
                     qPrintable(QString("%1 n=%2").arg(name.c_str()).arg(n)));
          }
      }
  }

  /// Small numbers are kept, ties go to even, a NaN stays one.
  void rounding_to_bf16_is_that_of_the_standard() {
    ir::Program program = program_of("kernel f(X: f32[6]) -> Y\n  Y[i in 6]: bf16 = bf16(X[i])\n");
    NDArray x = NDArray::create(DType::kF32, {6}).value();
    uint32_t const bits[] = {0x3F808000, 0x3F818000, 0x7F800001,
                             0x00018001, 0x7F7FFFFF, 0x80000001};
    uint16_t const want[] = {0x3F80, 0x3F82, 0x7FC0, 0x0002, 0x7F80, 0x8000};
    std::memcpy(x.data(), bits, sizeof bits);
    NDArray y = run(program, "", {x}, CodeTier::kFast);
    for (size_t i = 0; i < 6; ++i) QCOMPARE(y.as<uint16_t>()[i], want[i]);
  }

  void code_for_other_processors_needs_no_library() {
    for (char const* target : {"cpu:x86-64-v3", "cpu:x86-64-v4", "cpu:aarch64", "cpu:armv7"})
      for (char const* type : {"bf16", "f16"}) {
        auto backend = create_cpu_backend(cpu_target(target).value()).value();
        std::string name = type;
        ir::Program program = program_of(
            "kernel f(X: " + name + "[50]) -> Y\n  Y[i in 50] = tanh(X[i]) * exp(X[i]) + X[i]\n");
        std::string script = backend->default_script(program).value();
        Schedule schedule = replay(Schedule(program), parse_script(script).value()).value();
        auto stages = lower(schedule.program(), backend->target(), backend->passes()).value();
        for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
          auto code = backend->compile(stages.back().kernel, tier, CodeTexts::kNone);
          QVERIFY2(code.has_value(), code ? "" : (name + target + code.error().message).c_str());
        }
      }
  }

private:
  NDArray run(ir::Program const& program, std::string const& script,
              std::vector<NDArray> const& inputs, CodeTier tier) {
    std::string text =
        script.starts_with("tilewright") ? script : "tilewright schedule 1\n" + script;
    Schedule schedule = replay(Schedule(program), parse_script(text).value()).value();
    auto stages = lower(schedule.program(), backend_->target(), backend_->passes()).value();
    ThreadPool pool(1);
    auto outputs =
        testing::run_compiled(stages.back().kernel, program, inputs, *backend_, tier, pool);
    if (!outputs) qFatal("%s", to_sentence(outputs.error()).c_str());
    return (*outputs)[0];
  }

  void compare_with_interpreter(ir::Program const& program, std::string const& script,
                                std::vector<NDArray> const& inputs, DType type, double steps) {
    NDArray expected = ir::interpret(program, inputs).value()[0];
    CodeTier tier = script.empty() ? CodeTier::kFull : CodeTier::kFast;
    NDArray ours = run(program, script, inputs, tier);
    for (int64_t i = 0; i < ours.size(); ++i)
      QVERIFY2(close(ours.value_at(i), expected.value_at(i), type, steps),
               qPrintable(QString("element %1 is %2, not %3 (%4)")
                              .arg(i)
                              .arg(ours.value_at(i))
                              .arg(expected.value_at(i))
                              .arg(std::string(to_text(type)).c_str())));
  }

  std::shared_ptr<Backend const> backend_;
};

QTEST_GUILESS_MAIN(NarrowFloatsTest)
#include "narrow_floats_test.moc"
