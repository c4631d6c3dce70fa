#include "targets/shared/launch_record/launch_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tw::launch_record {
namespace {

using Kind = Number::Kind;

int64_t floor_quotient(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Nothing: it does not fit, or divides by zero.
std::optional<int64_t> combined(Kind kind, int64_t a, int64_t b) {
  int64_t value = 0;
  bool divides = kind == Kind::kFloorDiv || kind == Kind::kFloorMod;
  if (divides && (b == 0 || b == -1)) return std::nullopt;
  switch (kind) {
    case Kind::kAdd:
      return __builtin_add_overflow(a, b, &value) ? std::nullopt : std::optional(value);
    case Kind::kSub:
      return __builtin_sub_overflow(a, b, &value) ? std::nullopt : std::optional(value);
    case Kind::kMul:
      return __builtin_mul_overflow(a, b, &value) ? std::nullopt : std::optional(value);
    case Kind::kFloorDiv:
      return floor_quotient(a, b);
    case Kind::kFloorMod:
      return a - floor_quotient(a, b) * b;
    case Kind::kMin:
      return std::min(a, b);
    case Kind::kMax:
      return std::max(a, b);
    case Kind::kConstant:
    case Kind::kSize:
      break;
  }
  return std::nullopt;
}

std::unexpected<Error> no_value(std::string const& why) {
  return bad_input("bad_launch", "a number of a launch has no value: " + why);
}

}  // namespace

Result<int64_t> value_of(Number const& number, std::span<int64_t const> sizes) {
  std::vector<int64_t> stack;
  for (Number::Step const& step : number.steps) {
    if (step.kind == Kind::kConstant) {
      stack.push_back(step.value);
      continue;
    }
    if (step.kind == Kind::kSize) {
      if (step.value < 0 || step.value >= int64_t(sizes.size()))
        return no_value(fmt::format("there is no size {}", step.value));
      stack.push_back(sizes[size_t(step.value)]);
      continue;
    }
    if (stack.size() < 2) return no_value("an operator lacks an operand");
    int64_t b = stack.back();
    stack.pop_back();
    auto value = combined(step.kind, stack.back(), b);
    if (!value) return no_value("it divides by zero, or does not fit into 64 bits");
    stack.back() = *value;
  }
  if (stack.size() != 1) return no_value("operands and operators do not match");
  return stack.front();
}

}  // namespace tw::launch_record
