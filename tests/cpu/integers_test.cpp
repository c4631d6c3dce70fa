// Integers as machine code and as the interpreter has them: the ends of their types, where signs
// and widths are forgotten.
#include <QtTest>

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

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
    "popcount(A[i])",
    "popcount(A[i] & B[i]) + popcount(~A[i])",
    "saturate(i8, A[i])",
    "saturate(u8, A[i])",
    "saturate(i16, A[i])",
    "saturate(u16, A[i])",
    "saturate(i32, A[i])",
    "saturate(u32, A[i])",
    "saturate(i64, A[i])",
    "saturate(u64, A[i])",
    "saturate(i8, f32(A[i]) * 0.5)",
    "saturate(u8, round(f32(A[i]) * 0.01))",
    "saturate(i32, f64(A[i]) * 4.0:f64)",
    "saturate(i64, f32(A[i]) * 2.0)",
    "unpack(i4, u8(A[i]), i % 2)",
    "unpack(i2, u8(A[i]), 3)",
    "unpack(u1, u8(A[i]), i % 8)",
    "unpack(u2, u8(A[i]), i % 4)",
    "unpack(u4, u8(A[i]), 1)",
    "pack(i4, A[i], B[i])",
    "pack(u2, A[i], B[i], A[i] >> B[i], B[i] - A[i])",
    "pack(u1, A[i], B[i], A[i], B[i], B[i], B[i], A[i], A[i])",
    "unpack(i2, pack(i2, A[i], B[i], B[i], A[i]), 1) + unpack(i4, pack(i4, A[i], B[i]), 1)",
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

  void bits_are_counted_in_the_width_of_the_type() {
    counted<int8_t>();
    counted<uint8_t>();
    counted<int16_t>();
    counted<uint16_t>();
    counted<int32_t>();
    counted<uint32_t>();
    counted<int64_t>();
    counted<uint64_t>();
  }

  void conversions_saturate() {
    saturated<int8_t>();
    saturated<uint8_t>();
    saturated<int16_t>();
    saturated<uint16_t>();
    saturated<int32_t>();
    saturated<uint32_t>();
    saturated<int64_t>();
    saturated<uint64_t>();
  }

  void floats_saturate_and_no_number_is_zero() {
    NDArray in = NDArray::create(DType::kF32, {6}).value();
    std::ranges::copy(std::vector<float>{-1e30F, -3.7F, 126.9F, 300.0F, INFINITY, NAN},
                      in.as<float>().begin());
    auto of = [&](std::string const& type) {
      auto kernel = te::parse_kernel(
          "tilewright te 1\nkernel f(X: f32[6]) -> Y\n  Y[i in 6] = "
          "saturate(" +
          type + ", X[i])\n");
      return ir::interpret(te::to_program(kernel.value()).value(), {in}).value()[0];
    };
    std::vector<double> const i8{-128, -3, 126, 127, 127, 0}, u8{0, 0, 126, 255, 255, 0},
        i32{-2147483648.0, -3, 126, 300, 2147483647.0, 0};
    NDArray a = of("i8"), b = of("u8"), c = of("i32");
    for (int64_t i = 0; i < 6; ++i) {
      QCOMPARE(a.value_at(i), i8[size_t(i)]);
      QCOMPARE(b.value_at(i), u8[size_t(i)]);
      QCOMPARE(c.value_at(i), i32[size_t(i)]);
    }
  }

  void values_packed_in_bytes_are_all_there() {
    NDArray in = NDArray::create(DType::kU8, {256}).value();
    for (int i = 0; i < 256; ++i) in.as<uint8_t>()[size_t(i)] = uint8_t(i);
    for (auto [name, bits, sign] : {std::tuple{"i2", 2, true},
                                    {"i4", 4, true},
                                    {"u1", 1, false},
                                    {"u2", 2, false},
                                    {"u4", 4, false}}) {
      int count = 8 / bits;
      std::string text = fmt::format(
          "tilewright te 1\nkernel f(X: u8[256]) -> Y\n  Y[i in 256, k in {}] = unpack({}, X[i], "
          "k)\n",
          count, name);
      NDArray out =
          ir::interpret(te::to_program(te::parse_kernel(text).value()).value(), {in}).value()[0];
      for (int i = 0; i < 256; ++i)
        for (int k = 0; k < count; ++k) {
          int value = (i >> (k * bits)) & ((1 << bits) - 1);
          if (sign && value >= 1 << (bits - 1)) value -= 1 << bits;
          QCOMPARE(out.value_at(i * count + k), double(value));
        }
    }
  }

  void what_was_packed_comes_back() {
    NDArray in = NDArray::create(DType::kU8, {256}).value();
    for (int i = 0; i < 256; ++i) in.as<uint8_t>()[size_t(i)] = uint8_t(i);
    for (auto [name, count] : {std::pair{"i2", 4}, {"i4", 2}, {"u1", 8}, {"u2", 4}, {"u4", 2}}) {
      std::string values;
      for (int k = 0; k < count; ++k) values += fmt::format(", unpack({}, X[i], {})", name, k);
      std::string text = fmt::format(
          "tilewright te 1\nkernel f(X: u8[256]) -> Y\n  Y[i in 256] = pack({}{})\n", name, values);
      NDArray out =
          ir::interpret(te::to_program(te::parse_kernel(text).value()).value(), {in}).value()[0];
      QCOMPARE(out.type(), DType::kU8);
      QCOMPARE(out.hash(), in.hash());
    }
  }

  void conversions_that_have_no_meaning_are_refused_data() {
    QTest::addColumn<QString>("expression");
    QTest::addColumn<QString>("message");
    QTest::newRow("to a float") << "saturate(f32, X[i])"
                                << "'f32' is not an integer type";
    QTest::newRow("of nothing") << "saturate(i8, X[i], 1)"
                                << "'saturate' takes an integer type and a number";
    QTest::newRow("floats to u64") << "saturate(u64, f32(X[i]))"
                                   << "only integers are saturated to u64";
    QTest::newRow("a wide type") << "unpack(i8, X[i], 0)"
                                 << "'i8' is not one of i2, i4, u1, u2, u4";
    QTest::newRow("of no byte") << "unpack(i4, i32(X[i]), 0)"
                                << "'unpack' takes a type, a byte (u8) and the number of a value "
                                   "in it";
    QTest::newRow("too many for a byte") << "pack(i4, X[i], X[i], X[i])"
                                         << "'pack' takes i4 and 2 integers, which a byte (u8) has "
                                            "room for";
    QTest::newRow("a number that is no integer") << "pack(i4, X[i], 0.5)"
                                                 << "'pack' takes i4 and 2 integers, which a byte "
                                                    "(u8) has room for";
    QTest::newRow("behind the last") << "unpack(i4, X[i], 2)"
                                     << "a byte has 2 values of i4: from 0 to 1, not 2";
  }
  void conversions_that_have_no_meaning_are_refused() {
    QFETCH(QString, expression);
    QFETCH(QString, message);
    auto kernel = te::parse_kernel("tilewright te 1\nkernel f(X: u8[4]) -> Y\n  Y[i in 4] = " +
                                   expression.toStdString() + "\n");
    QVERIFY(!kernel);
    QCOMPARE(QString::fromStdString(kernel.error().message), message);
  }

  /// LLVM 19 takes the shift of an index into the scale of a gather's address, where it wraps to 0.
  void indices_that_are_far_shifted_read_where_they_say() {
    std::vector<NDArray> in;
    for (int64_t first : {0, 100}) {
      NDArray array = NDArray::create(DType::kI64, {24}).value();
      for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, double(first + i));
      in.push_back(std::move(array));
    }
    for (char const* factor :
         {"(-9223372036854775808)", "4611686018427387904", "1152921504606846976"}) {
      std::string index = std::string("A[i] * ") + factor;
      agree("select(0 <= " + index + " && " + index + " < 24, B[" + index + "], A[i])", in);
      agree("select(0 <= " + index + "+3 && " + index + "+3 < 24, B[" + index + "+3], A[i])", in);
    }
  }

  void quotients_and_remainders_are_those_of_the_language() {
    divided<int8_t>();
    divided<uint8_t>();
    divided<int32_t>();
    divided<uint32_t>();
    divided<int64_t>();
    divided<uint64_t>();
  }

  /// LLVM takes a division by zero for impossible: X // X was 1, and of 7 // (X - X) nothing was
  /// left, not even the store.
  void a_division_by_zero_ends_the_kernel_data() {
    QTest::addColumn<QString>("expression");
    for (char const* expression :
         {"A[i] // A[i]", "A[i] % A[i]", "0:T // A[i]", "0:T % A[i]", "7:T // (A[i] - A[i])",
          "7:T // (A[i] * 0:T)", "7:T % (A[i] & 0:T)", "7:T // A[i]", "B[i] // A[i]", "B[i] % A[i]",
          "select(B[i] < 3:T, B[i] // A[i], B[i])"})
      QTest::newRow(expression) << expression;
  }
  void a_division_by_zero_ends_the_kernel() {
    QFETCH(QString, expression);
    for (DType type :
         {DType::kI8, DType::kU8, DType::kI32, DType::kU32, DType::kI64, DType::kU64}) {
      std::string text = QString(expression).replace("T", to_text(type).data()).toStdString();
      std::vector<NDArray> in = ones(type, 40);
      ended(text, in, "");
      in[0].set_value(37, 0);
      ended(text, in, "division_by_zero");
      ended("select(A[i] != B[i], B[i], " + text + ")", in, "");
    }
  }

private:
  static std::vector<NDArray> ones(DType type, int64_t size) {
    std::vector<NDArray> in;
    for (int n = 0; n < 2; ++n) {
      in.push_back(NDArray::create(type, {size}).value());
      for (int64_t i = 0; i < size; ++i) in.back().set_value(i, 1);
    }
    return in;
  }

  /// Interpreted and compiled it ends with this error; empty: with none. What divides by zero
  /// everywhere has no other case.
  void ended(std::string const& expression, std::vector<NDArray> const& in,
             std::string const& code) {
    ir::Program program = program_of(expression, in);
    auto expected = ir::interpret(program, in);
    if (code.empty() && !expected) return;
    QCOMPARE(expected ? std::string() : expected.error().code, code);
    for (char const* script : {"", "i.0, i.1 = split(Y.i, factor=8)\nvectorize(i.1)\n",
                               "i.0, i.1 = split(Y.i, factor=16)\nparallel(i.0)\nvectorize(i.1)\n"})
      for (CodeTier tier : {CodeTier::kFast, CodeTier::kFull, CodeTier::kChecked}) {
        auto trace = parse_script(std::string("tilewright schedule 1\n") + script);
        Schedule schedule = replay(Schedule(program), trace.value()).value();
        auto stages = lower(schedule.program(), backend_->target(), backend_->passes()).value();
        auto outputs =
            testing::run_compiled(stages.back().kernel, program, in, *backend_, tier, pool_);
        std::string where = expression + " of " + std::string(to_text(in[0].type())) + " " + script;
        QVERIFY2((outputs ? std::string() : outputs.error().code) == code, where.c_str());
        if (outputs) QVERIFY2((*outputs)[0].hash() == (*expected)[0].hash(), where.c_str());
      }
  }

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
  void counted() {
    std::vector<NDArray> in = operands<T>();
    NDArray bits = ir::interpret(program_of("popcount(A[i])", in), in).value()[0];
    for (size_t i = 0; i < size_t(bits.size()); ++i)
      QCOMPARE(int(bits.as<T>()[i]), std::popcount(std::make_unsigned_t<T>(in[0].as<T>()[i])));
  }

  template <typename T>
  void saturated() {
    std::vector<NDArray> in = operands<int64_t>();
    std::string type(to_text(kTypeOf<T>));
    NDArray out = ir::interpret(program_of("saturate(" + type + ", A[i])", in), in).value()[0];
    for (size_t i = 0; i < size_t(out.size()); ++i) {
      int64_t a = in[0].as<int64_t>()[i];
      T nearest = std::in_range<T>(a) ? T(a)
                  : a < 0             ? std::numeric_limits<T>::min()
                                      : std::numeric_limits<T>::max();
      QCOMPARE(out.as<T>()[i], nearest);
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
