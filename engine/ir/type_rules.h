/// Which types each operator and function takes. The parser, the verifier, the evaluator and the
/// code of every target rest on this one table.
#pragma once

#include <string>

#include "engine/ir/op.h"

namespace tw::ir {

enum class Operands : uint8_t {
  kFloats,
  kIntegers,
  kNumbers,  ///< floats or integers
  kConditions,
  kAny
};
Operands operands_of(UnaryOp op);
Operands operands_of(BinaryOp op);
bool takes(Operands operands, DType type);

/// Empty where the operator takes the type, else "'exp' is for floats".
std::string type_misfit(UnaryOp op, DType type);
std::string type_misfit(BinaryOp op, DType type);

/// Whether an integer constant, or a truth value, is one of the type: 0..255 of u8. Of u64 the
/// upper half is written as the negative number of the same bits.
bool fits(int64_t value, DType type);

}  // namespace tw::ir
