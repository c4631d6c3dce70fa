/// What the ALU has of a program's operations, and of a design's.
#pragma once

#include <optional>

#include "engine/ir/op.h"
#include "targets/vta/hardware/instruction.h"

namespace tw::vta {

/// Without the widening of bytes, which loading them into an accumulator does.
ir::Expr without_widening(ir::Expr const& e);
bool commutes(ir::BinaryOp op);
std::optional<AluOp> operation(ir::BinaryOp op);

/// An operation with a constant on its right.
struct WithImmediate {
  AluOp op;
  int64_t immediate;
};
std::optional<WithImmediate> with_immediate(ir::BinaryOp op, int64_t value);

/// value of min(max(value, low), high) and of max(min(value, high), low), where low <= high.
struct Clamped {
  ir::Expr value;
  int64_t low = 0, high = 0;
};
std::optional<Clamped> clamped(ir::Expr const& e);

/// kWhole: a tensor whose numbers the design's shifts take whole.
enum class OperandKind : uint8_t { kTensor, kWhole, kNumber };
/// Of an operand that is a tensor's elements, perhaps held within bounds.
OperandKind kind_of_tensor(Configuration const& configuration, ir::Expr const& operand);
/// Errors: vta_design, with the setting that says so: the design's ALU cannot do this into
/// `tensor`.
Status check_operation(Configuration const& configuration, AluOp op, OperandKind operand,
                       std::string const& tensor);
/// Shifts that one after another shift as far, each as far as the design can; one at least.
std::vector<int64_t> shifts_of(Configuration const& configuration, int64_t amount);

}  // namespace tw::vta
