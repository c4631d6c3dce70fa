#include "engine/te/expected.h"

#include <cmath>
#include <limits>

#include "engine/te/rounding.h"
#include "engine/tensor/nearest.h"

namespace tw::te {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Above it a value of the type is infinite.
double largest(DType type) {
  return type == DType::kF16 ? 65504 : type == DType::kF64 ? 0x1.fffffffffffffp1023 : 0x1.fep127;
}

/// Whether the element may be infinite with this sign.
bool may_be_infinite(bool negative, double value, double bound, DType type) {
  return (negative ? -value : value) + 2 * bound >= largest(type);
}

/// How far the element is from where it may be at most; 0 and below: right. Infinite where one is
/// no number.
double excess(double actual, double value, double bound, DType type) {
  if (std::isnan(value)) return std::isnan(actual) ? 0 : kInfinity;
  if (!std::isfinite(bound)) return 0;
  if (std::isinf(actual) && may_be_infinite(std::signbit(actual), value, bound, type)) return 0;
  if (actual == value) return 0;
  double apart = std::fabs(actual - value);
  return std::isfinite(apart) ? std::max(0.0, apart - 2 * bound) : kInfinity;
}

/// Integers of 64 bits do not fit a double.
bool differs(NDArray const& actual, NDArray const& values, int64_t i) {
  bool whole = size_of(actual.type()) == 8 && is_integer(actual.type());
  if (whole && actual.type() == values.type())
    return actual.as<int64_t>()[size_t(i)] != values.as<int64_t>()[size_t(i)];
  double a = actual.value_at(i), b = values.value_at(i);
  return a != b && !(std::isnan(a) && std::isnan(b));
}

}  // namespace

Result<Expected> expected_outputs(Kernel const& kernel, std::vector<NDArray> const& inputs,
                                  RunProgram const& run) {
  RoundingAnalysis analysis = analyze_rounding(kernel, inputs);
  TRY_ASSIGN(ir::Program program, to_program(analysis.kernel));
  TRY_ASSIGN(std::vector<NDArray> made, run(program));
  Expected expected;
  for (size_t i = 0, at = 0; i < analysis.bounded.size(); ++i) {
    ExpectedOutput output{made[at++], {}};
    if (analysis.bounded[i]) output.bounds = made[at++];
    expected.push_back(std::move(output));
  }
  return expected;
}

Comparison judge(NDArray const& actual, ExpectedOutput const& expected) {
  Comparison result;
  if (actual.size() != expected.values.size()) return result;
  result.equal = true;
  double worst = -1;
  for (int64_t i = 0; i < actual.size(); ++i) {
    double a = actual.value_at(i), value = expected.values.value_at(i), over = 0;
    if (!expected.bounds.empty())
      over = excess(a, value, expected.bounds.value_at(i), actual.type());
    else if (differs(actual, expected.values, i))
      over = std::isfinite(a) && std::isfinite(value) ? std::max(std::fabs(a - value), 1e-300)
                                                      : kInfinity;
    if (std::isfinite(value)) result.max_abs_ref = std::max(result.max_abs_ref, std::fabs(value));
    double apart = std::isinf(over) ? kInfinity : std::fabs(a - value);
    if (!std::isnan(apart)) result.max_abs_diff = std::max(result.max_abs_diff, apart);
    if (over <= 0) continue;
    result.equal = false;
    if (over > worst) worst = over, result.worst_index = i;
  }
  return result;
}

Comparison judge(std::vector<NDArray> const& actual, Expected const& expected) {
  Comparison worst{0, 0, actual.size() == expected.size(), -1};
  for (size_t i = 0; i < actual.size() && i < expected.size(); ++i) {
    Comparison one = judge(actual[i], expected[i]);
    bool equal = worst.equal && one.equal;
    // A wrong output is told of before any right one.
    if (one.equal == worst.equal ? one.max_abs_diff >= worst.max_abs_diff : !one.equal) worst = one;
    worst.equal = equal;
  }
  return worst;
}

namespace {

/// As `excess` has it: an interval, or all, or no number.
std::pair<double, double> limits_of(double value, double bound, DType type) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (std::isnan(value)) return {kNone, kNone};
  if (!std::isfinite(bound)) return {-kInfinity, kNone};
  if (std::isinf(value)) return {value, value};
  double low = nearest_above(type, value - 2 * bound),
         high = nearest_below(type, value + 2 * bound);
  if (may_be_infinite(true, value, bound, type)) low = -kInfinity;
  if (may_be_infinite(false, value, bound, type)) high = kInfinity;
  return {low, high};
}

}  // namespace

Result<Limits> limits_of(ExpectedOutput const& expected, DType type) {
  if (expected.bounds.empty() && expected.values.type() == type)
    return Limits{expected.values, expected.values};
  TRY_ASSIGN(NDArray low, NDArray::create(type, expected.values.shape()));
  TRY_ASSIGN(NDArray high, NDArray::create(type, expected.values.shape()));
  for (int64_t i = 0; i < low.size(); ++i) {
    double value = expected.values.value_at(i);
    double bound = expected.bounds.empty() ? 0 : expected.bounds.value_at(i);
    auto [least, greatest] =
        is_float(type) ? limits_of(value, bound, type) : std::pair(value, value);
    low.set_value(i, least);
    high.set_value(i, greatest);
  }
  return Limits{std::move(low), std::move(high)};
}

ExpectedOutput stored_output(NDArray values) {
  if (!is_float(values.type())) return {std::move(values), {}};
  double squares = 0, finite = 0;
  for (int64_t i = 0; i < values.size(); ++i) {
    double value = values.value_at(i);
    if (!std::isfinite(value)) continue;
    squares += value * value;
    ++finite;
  }
  double times = values.type() == DType::kF16 ? 4 : values.type() == DType::kBF16 ? 16 : 1;
  double of_all = 1e-4 * std::sqrt(squares / std::max(finite, 1.0)) + 1e-7;
  auto bounds = NDArray::create(DType::kF64, values.shape());
  if (!bounds) return {std::move(values), {}};   // no memory: the strictest answer
  for (int64_t i = 0; i < values.size(); ++i) {  // the judge allows twice the bound
    double value = std::fabs(values.value_at(i));
    bounds->set_value(i, times * (1e-3 * (std::isfinite(value) ? value : 0) + of_all) / 2);
  }
  return {std::move(values), std::move(*bounds)};
}

int64_t undecided(Expected const& expected) {
  int64_t count = 0;
  for (ExpectedOutput const& output : expected)
    for (int64_t i = 0; !output.bounds.empty() && i < output.bounds.size(); ++i)
      count += !std::isfinite(output.bounds.value_at(i));
  return count;
}

}  // namespace tw::te
