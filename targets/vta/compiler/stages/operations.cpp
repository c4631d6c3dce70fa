#include "targets/vta/compiler/stages/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/ir/expr.h"

namespace tw::vta {

using namespace ir;

namespace {

constexpr int kWholeShift = 32;  ///< bits of an amount that say every shift

}  // namespace

Expr without_widening(Expr const& e) {
  auto const* cast = e.as<Cast>();
  auto const* read = cast && cast->type == DType::kI32 ? cast->a.as<Load>() : nullptr;
  return read && read->buffer->type == DType::kI8 ? cast->a : e;
}

bool commutes(BinaryOp op) {
  return op == BinaryOp::kAdd || op == BinaryOp::kMul || op == BinaryOp::kMin ||
         op == BinaryOp::kMax;
}

std::optional<AluOp> operation(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
      return AluOp::kAdd;
    case BinaryOp::kMul:
      return AluOp::kMul;
    case BinaryOp::kMin:
      return AluOp::kMin;
    case BinaryOp::kMax:
      return AluOp::kMax;
    case BinaryOp::kShiftRight:
      return AluOp::kShr;
    default:
      return {};
  }
}

std::optional<WithImmediate> with_immediate(BinaryOp op, int64_t value) {
  bool power = value > 0 && std::has_single_bit(uint64_t(value));
  int64_t bits = power ? std::countr_zero(uint64_t(value)) : 0;
  if (op == BinaryOp::kSub) return WithImmediate{AluOp::kAdd, -value};
  if (op == BinaryOp::kShiftLeft) return WithImmediate{AluOp::kShr, -value};
  if (op == BinaryOp::kFloorDiv && power) return WithImmediate{AluOp::kShr, bits};
  if (op == BinaryOp::kMul && power) return WithImmediate{AluOp::kShr, -bits};
  auto plain = operation(op);
  return plain ? std::optional(WithImmediate{*plain, value}) : std::nullopt;
}

std::optional<Clamped> clamped(Expr const& e) {
  auto const* outer = e.as<Binary>();
  auto const* inner = outer ? outer->a.as<Binary>() : nullptr;
  if (!inner) return {};
  auto a = as_int(inner->b), b = as_int(outer->b);
  bool highest_last = outer->op == BinaryOp::kMin && inner->op == BinaryOp::kMax,
       lowest_last = outer->op == BinaryOp::kMax && inner->op == BinaryOp::kMin;
  if (!a || !b || (!highest_last && !lowest_last)) return {};
  Clamped result{inner->a, std::min(*a, *b), std::max(*a, *b)};
  bool ordered = highest_last ? *a <= *b : *b <= *a;
  return ordered ? std::optional(result) : std::nullopt;
}

OperandKind kind_of_tensor(Configuration const& c, Expr const& operand) {
  auto within = clamped(operand);
  int64_t most = (int64_t(1) << (c.shift_bits - 1)) - 1;
  bool whole = within && within->low >= -most - 1 && within->high <= most;
  return whole ? OperandKind::kWhole : OperandKind::kTensor;
}

Status check_operation(Configuration const& c, AluOp op, OperandKind operand,
                       std::string const& tensor) {
  if (op == AluOp::kMul && !c.mul)
    return refused(
        "vta_design",
        fmt::format("{} is multiplied, which this design's ALU cannot (mul = no)", tensor));
  if (op == AluOp::kShr && operand == OperandKind::kTensor && c.shift_bits < kWholeShift)
    return refused("vta_design",
                   fmt::format("{} is shifted by what a tensor holds, of which this design takes "
                               "the lowest {} bits (shift_bits): shift by numbers, or hold what "
                               "the tensor says within 0 and {} (min(max(...)))",
                               tensor, c.shift_bits, (int64_t(1) << (c.shift_bits - 1)) - 1));
  return {};
}

std::vector<int64_t> shifts_of(Configuration const& c, int64_t amount) {
  if (c.shift_bits >= kWholeShift) return {amount};
  std::vector<int64_t> parts;
  amount = std::clamp<int64_t>(amount, -kWholeShift, kWholeShift - 1);  // farther is as far
  int64_t most = (int64_t(1) << (c.shift_bits - 1)) - 1;
  for (; amount > most; amount -= most) parts.push_back(most);
  for (; amount < -most - 1; amount += most + 1) parts.push_back(-most - 1);
  parts.push_back(amount);
  return parts;
}

}  // namespace tw::vta
