/// Names and binding strength of operators, shared by printer and parser.
#pragma once

#include <array>
#include <string_view>

#include "engine/ir/expr.h"

namespace tw::ir {

struct BinarySyntax {
  BinaryOp op;
  std::string_view symbol;
  int strength;      ///< larger binds tighter
  bool is_function;  ///< min(a, b)
};
inline constexpr std::array<BinarySyntax, 15> kBinarySyntax{{
    {BinaryOp::kAdd, "+", 5, false},
    {BinaryOp::kSub, "-", 5, false},
    {BinaryOp::kMul, "*", 6, false},
    {BinaryOp::kDiv, "/", 6, false},
    {BinaryOp::kFloorDiv, "//", 6, false},
    {BinaryOp::kFloorMod, "%", 6, false},
    {BinaryOp::kMin, "min", 9, true},
    {BinaryOp::kMax, "max", 9, true},
    {BinaryOp::kPow, "pow", 9, true},
    {BinaryOp::kLt, "<", 4, false},
    {BinaryOp::kLe, "<=", 4, false},
    {BinaryOp::kEq, "==", 3, false},
    {BinaryOp::kNe, "!=", 3, false},
    {BinaryOp::kAnd, "&&", 2, false},
    {BinaryOp::kOr, "||", 1, false},
}};
inline BinarySyntax const& syntax_of(BinaryOp op) { return kBinarySyntax[size_t(op)]; }

inline constexpr std::array<std::string_view, 13> kUnaryNames{
    "neg", "not",   "abs",  "exp", "log", "sqrt", "tanh",
    "erf", "floor", "ceil", "sin", "cos", "round"};
inline std::string_view name_of(UnaryOp op) { return kUnaryNames[size_t(op)]; }

}  // namespace tw::ir
