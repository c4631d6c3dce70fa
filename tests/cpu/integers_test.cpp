// Integers as machine code and as the interpreter has them: the ends of their types, where signs
// and widths are forgotten.
#include <QtTest>

#include <limits>

#include "engine/ir/interpreter.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/support/compiled.h"

using namespace tw;

namespace {

constexpr char const* kExpressions[] = {
    "A[i] // B[i]",
    "A[i] % B[i]",
    "min(A[i], B[i])",
    "max(A[i], B[i])",
    "select(A[i] < B[i], A[i], B[i])",
    "select(A[i] <= B[i], A[i], B[i])",
    "select(A[i] > B[i], A[i], B[i])",
    "A[i] * B[i] - A[i]",
    "abs(A[i])",
    "A[i] & B[i]",
    "A[i] | B[i] ^ A[i]",
    "~A[i]",
    "A[i] << B[i]",
    "A[i] >> B[i]",
    "f32(A[i])",
    "f64(B[i])",
};

/// What C++ says of the same operands; it leaves the least number by -1 open.
template <typename T>
T quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return T(0 - std::make_unsigned_t<T>(a));
  T towards_zero = T(a / b);
  return T(a % b != 0 && (a < 0) != (b < 0) ? towards_zero - 1 : towards_zero);
}

template <typename T>
T remainder(T a, T b) {
  return T(a - T(std::make_unsigned_t<T>(quotient(a, b)) * std::make_unsigned_t<T>(b)));
}

template <typename T>
constexpr DType kTypeOf = sizeof(T) == 1        ? std::is_signed_v<T> ? DType::kI8 : DType::kU8
                          : sizeof(T) == 2      ? std::is_signed_v<T> ? DType::kI16 : DType::kU16
                          : sizeof(T) == 4      ? std::is_signed_v<T> ? DType::kI32 : DType::kU32
                          : std::is_signed_v<T> ? DType::kI64
                                                : DType::kU64;

/// Each end of the type, and what lies beside it, by each.
template <typename T>
std::vector<NDArray> operands() {
  using Limits = std::numeric_limits<T>;
  T const middle = T(Limits::max() / 2 + 1);
  std::vector<T> const numbers = {Limits::min(),
                                  T(Limits::min() + 1),
                                  T(-7),
                                  T(-1),
                                  1,
                                  2,
                                  3,
                                  8 * sizeof(T) - 1,
                                  8 * sizeof(T),
                                  T(middle - 1),
                                  middle,
                                  T(middle + 3),
                                  T(Limits::max() - 1),
                                  Limits::max()};
  std::vector<T> a, b;
  for (T x : numbers)
    for (T y : numbers)
      if (y != 0) a.push_back(x), b.push_back(y);
  a.push_back(0), b.push_back(5);
  std::vector<NDArray> arrays;
  for (std::vector<T> const& list : {a, b}) {
    arrays.push_back(NDArray::create(kTypeOf<T>, {int64_t(list.size())}).value());
    std::ranges::copy(list, arrays.back().template as<T>().begin());
  }
  return arrays;
}

}  // namespace

class IntegersTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { backend_ = create_cpu_backend(detect_host()).value(); }

  void compiled_and_interpreted_agree_at_the_ends_of_every_type_data() {
    QTest::addColumn<QString>("expression");
    for (char const* expression : kExpressions) QTest::newRow(expression) << expression;
  }
  void compiled_and_interpreted_agree_at_the_ends_of_every_type() {
    QFETCH(QString, expression);
    std::string text = expression.toStdString();
    agree(text, operands<int8_t>());
    agree(text, operands<uint8_t>());
    agree(text, operands<int16_t>());
    agree(text, operands<uint16_t>());
    agree(text, operands<int32_t>());
    agree(text, operands<uint32_t>());
    agree(text, operands<int64_t>());
    agree(text, operands<uint64_t>());
  }

  void shifts_are_those_of_the_language() {
    shifted<int8_t>();
    shifted<uint8_t>();
    shifted<int32_t>();
    shifted<uint32_t>();
    shifted<int64_t>();
    shifted<uint64_t>();
  }

  void quotients_and_remainders_are_those_of_the_language() {
    divided<int8_t>();
    divided<uint8_t>();
    divided<int32_t>();
    divided<uint32_t>();
    divided<int64_t>();
    divided<uint64_t>();
  }

private:
  static ir::Program program_of(std::string const& expression, std::vector<NDArray> const& in) {
    std::string type(to_text(in[0].type())), size = std::to_string(in[0].size());
    std::string text = "tilewright te 1\nkernel f(A: " + type + "[" + size + "], B: " + type + "[" +
                       size + "]) -> Y\n  Y[i in " + size + "] = " + expression + "\n";
    return te::to_program(te::parse_kernel(text).value()).value();
  }

  void agree(std::string const& expression, std::vector<NDArray> const& inputs) {
    ir::Program program = program_of(expression, inputs);
    NDArray expected = ir::interpret(program, inputs).value()[0];
    for (char const* script : {"", "i.0, i.1 = split(Y.i, factor=8)\nvectorize(i.1)\n"})
      for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull}) {
        auto trace = parse_script(std::string("tilewright schedule 1\n") + script);
        Schedule schedule = replay(Schedule(program), trace.value()).value();
        auto stages = lower(schedule.program(), backend_->target(), backend_->passes()).value();
        auto outputs =
            testing::run_compiled(stages.back().kernel, program, inputs, *backend_, tier, pool_);
        QVERIFY2(outputs, expression.c_str());
        QVERIFY2(
            (*outputs)[0].hash() == expected.hash(),
            (expression + " of " + std::string(to_text(inputs[0].type())) + " " + script).c_str());
      }
  }

  template <typename T>
  void shifted() {
    std::vector<NDArray> in = operands<T>();
    NDArray left = ir::interpret(program_of("A[i] << B[i]", in), in).value()[0];
    NDArray right = ir::interpret(program_of("A[i] >> B[i]", in), in).value()[0];
    for (size_t i = 0; i < size_t(left.size()); ++i) {
      T a = in[0].as<T>()[i], b = in[1].as<T>()[i];
      bool inside = b >= 0 && uint64_t(b) < 8 * sizeof(T);
      QCOMPARE(left.as<T>()[i], inside ? T(uint64_t(a) << b) : T(0));
      QCOMPARE(right.as<T>()[i], inside ? T(a >> b) : a < 0 ? T(-1) : T(0));
    }
  }

  template <typename T>
  void divided() {
    std::vector<NDArray> in = operands<T>();
    NDArray by = ir::interpret(program_of("A[i] // B[i]", in), in).value()[0];
    NDArray left = ir::interpret(program_of("A[i] % B[i]", in), in).value()[0];
    for (size_t i = 0; i < size_t(by.size()); ++i) {
      T a = in[0].as<T>()[i], b = in[1].as<T>()[i];
      QCOMPARE(by.as<T>()[i], quotient(a, b));
      QCOMPARE(left.as<T>()[i], remainder(a, b));
    }
  }

  std::shared_ptr<Backend const> backend_;
  ThreadPool pool_{1};
};

QTEST_GUILESS_MAIN(IntegersTest)
#include "integers_test.moc"
