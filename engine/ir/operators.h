/// Names and binding strength of operators, shared by printer and parser.
#pragma once

#include <array>
#include <string_view>

#include "engine/ir/op.h"

namespace tw::ir {

struct BinarySyntax {
  BinaryOp op;
  std::string_view symbol;
  int strength;      ///< larger binds tighter
  bool is_function;  ///< min(a, b)
};
inline constexpr int kSumStrength = 9;  ///< from here on no spaces are printed
/// The strengths are ordered as in C.
inline constexpr std::array<BinarySyntax, 21> kBinarySyntax{{
    {BinaryOp::kAdd, "+", kSumStrength, false},
    {BinaryOp::kSub, "-", kSumStrength, false},
    {BinaryOp::kMul, "*", 10, false},
    {BinaryOp::kDiv, "/", 10, false},
    {BinaryOp::kFloorDiv, "//", 10, false},
    {BinaryOp::kFloorMod, "%", 10, false},
    {BinaryOp::kMin, "min", 11, true},
    {BinaryOp::kMax, "max", 11, true},
    {BinaryOp::kPow, "pow", 11, true},
    {BinaryOp::kFmod, "fmod", 11, true},
    {BinaryOp::kLt, "<", 7, false},
    {BinaryOp::kLe, "<=", 7, false},
    {BinaryOp::kEq, "==", 6, false},
    {BinaryOp::kNe, "!=", 6, false},
    {BinaryOp::kAnd, "&&", 2, false},
    {BinaryOp::kOr, "||", 1, false},
    {BinaryOp::kBitAnd, "&", 5, false},
    {BinaryOp::kBitOr, "|", 3, false},
    {BinaryOp::kBitXor, "^", 4, false},
    {BinaryOp::kShiftLeft, "<<", 8, false},
    {BinaryOp::kShiftRight, ">>", 8, false},
}};
inline BinarySyntax const& syntax_of(BinaryOp op) { return kBinarySyntax[size_t(op)]; }

inline constexpr std::array<std::string_view, 15> kUnaryNames{
    "neg",   "not",  "abs", "exp", "log",   "sqrt", "tanh",    "erf",
    "floor", "ceil", "sin", "cos", "round", "~",    "popcount"};
inline std::string_view name_of(UnaryOp op) { return kUnaryNames[size_t(op)]; }

}  // namespace tw::ir
