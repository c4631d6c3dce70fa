// Indices of device functions in 32 bits where they fit: a GPU computes 64 bits in two steps and
// keeps them in two registers. Code for processors, whose registers have 64 bits, is left as it is.
#include "engine/ir/expr.h"
#include "engine/ir/fields.h"
#include "engine/ir/speculation.h"
#include "targets/shared/llvm/emitter.h"
#include "targets/shared/llvm/narrow_indices.h"

namespace tw {

using namespace ir;
using llvm::Value;

/// The value as i32; null: it may not fit, or this is no device's code.
Value* Emitter::narrow(Expr const& e) {
  if (!parts_.device || !fits_in_32_bits(e, ranges_)) return nullptr;
  llvm::Type* type = builder_.getInt32Ty();
  if (auto const* node = e.as<IntImm>()) return builder_.getInt32(uint32_t(node->value));
  if (auto const* node = e.as<Variable>()) return builder_.CreateTrunc(variable(*node), type);
  if (auto const* node = e.as<Cast>())
    return builder_.CreateIntCast(expression(node->a), type, is_signed(node->a.type()));
  if (auto const* node = e.as<Select>()) {
    Value* condition = expression(node->condition);
    if (safe_to_speculate(node->a) && safe_to_speculate(node->b))
      return builder_.CreateSelect(condition, narrow(node->a), narrow(node->b));
    return chosen(
        condition, [&] { return narrow(node->a); }, [&] { return narrow(node->b); });
  }
  auto const& node = e.to<Binary>();
  if (is_sum(node.op) && !is_product(e)) {
    arith::Linear linear = arith::to_linear(e);
    Value* constant = builder_.getInt32(uint32_t(linear.constant));
    Value* sum = sum_of(linear.terms);
    return sum ? builder_.CreateNSWAdd(sum, constant) : constant;
  }
  Value* a = narrow(node.a);
  Value* b = narrow(node.b);
  if (is_sum(node.op)) return builder_.CreateNSWMul(a, b);
  // Where nothing is negative the quotient of numbers without sign is the one that rounds down.
  bool divides = node.op == BinaryOp::kFloorDiv || node.op == BinaryOp::kFloorMod;
  return integer_binary(node.op, a, b, !divides || arith::bounds(node.a, ranges_)->low < 0);
}

}  // namespace tw
