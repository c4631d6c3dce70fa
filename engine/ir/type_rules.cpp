#include "engine/ir/type_rules.h"

#include <fmt/format.h>

#include <utility>

#include "engine/ir/operators.h"

namespace tw::ir {
namespace {

std::string_view words_of(Operands operands) {
  switch (operands) {
    case Operands::kFloats:
      return "floats";
    case Operands::kIntegers:
      return "integers";
    case Operands::kNumbers:
      return "numbers";
    case Operands::kConditions:
      return "conditions";
    case Operands::kAny:
      return "values of any type";
  }
  std::unreachable();
}

std::string misfit(std::string_view name, Operands operands, DType type) {
  if (takes(operands, type)) return "";
  return fmt::format("'{}' is for {}", name, words_of(operands));
}

}  // namespace

Operands operands_of(UnaryOp op) {
  switch (op) {
    case UnaryOp::kExp:
    case UnaryOp::kLog:
    case UnaryOp::kSqrt:
    case UnaryOp::kTanh:
    case UnaryOp::kErf:
    case UnaryOp::kSin:
    case UnaryOp::kCos:
      return Operands::kFloats;
    case UnaryOp::kNeg:
    case UnaryOp::kAbs:
    case UnaryOp::kFloor:  // of integers these three are the identity
    case UnaryOp::kCeil:
    case UnaryOp::kRound:
      return Operands::kNumbers;
    case UnaryOp::kBitNot:
    case UnaryOp::kPopCount:
      return Operands::kIntegers;
    case UnaryOp::kNot:
      return Operands::kConditions;
  }
  std::unreachable();
}

Operands operands_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
      return Operands::kNumbers;
    case BinaryOp::kDiv:
    case BinaryOp::kPow:
    case BinaryOp::kFmod:
      return Operands::kFloats;
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
    case BinaryOp::kShiftLeft:
    case BinaryOp::kShiftRight:
      return Operands::kIntegers;
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kEq:
    case BinaryOp::kNe:
      return Operands::kAny;
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      return Operands::kConditions;
  }
  std::unreachable();
}

bool takes(Operands operands, DType type) {
  switch (operands) {
    case Operands::kFloats:
      return is_float(type);
    case Operands::kIntegers:
      return is_integer(type);
    case Operands::kNumbers:
      return type != DType::kBool;
    case Operands::kConditions:
      return type == DType::kBool;
    case Operands::kAny:
      return true;
  }
  std::unreachable();
}

std::string type_misfit(UnaryOp op, DType type) {
  return misfit(name_of(op), operands_of(op), type);
}

std::string type_misfit(BinaryOp op, DType type) {
  return misfit(syntax_of(op).symbol, operands_of(op), type);
}

bool fits(int64_t value, DType type) {
  if (type == DType::kBool) return value == 0 || value == 1;
  if (type == DType::kU64 || type == DType::kI64) return true;
  return *as_int(lowest(type)) <= value && value <= *as_int(highest(type));
}

}  // namespace tw::ir
