/// Operators, and what expressions are made with: enough for those who write a computation. The
/// kinds of nodes that they make are in expr.h.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/ir/handles.h"

namespace tw::ir {

struct Unary;  // expr.h
struct Binary;
struct Select;
struct Cast;

enum class UnaryOp : uint8_t {
  kNeg,
  kNot,
  kAbs,
  kExp,
  kLog,
  kSqrt,
  kTanh,
  kErf,
  kFloor,
  kCeil,
  kSin,
  kCos,
  kRound,
  kBitNot,   ///< of integers: every bit the other one
  kPopCount  ///< of integers: how many bits of the type's width are set
};

/// kDiv is for floats; integers use kFloorDiv and kFloorMod, which round down (-7 // 2 == -4,
/// -7 % 2 == 1; the least by -1 is itself, wrapped); dividing by zero is an error of the program.
///
/// kFmod is for floats: what is left of a division rounded towards zero, exact, with the sign of
/// the dividend, as C's fmod.
///
/// kBitAnd to kShiftRight are for integers. A shift moves the bits of its left operand by as many
/// places as its right one says; what leaves the type's width is lost. To the right, a signed
/// number is filled up with its sign, an unsigned one with zeros. Places below 0, or as many as the
/// type has bits or more, move everything out: the result is 0, or -1 for a negative number that is
/// shifted to the right.
enum class BinaryOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFloorDiv,
  kFloorMod,
  kMin,
  kMax,
  kPow,
  kFmod,
  kLt,
  kLe,
  kEq,
  kNe,
  kAnd,
  kOr,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShiftLeft,
  kShiftRight
};
bool is_compare(BinaryOp op);
/// One of those that look at the bits of integers.
bool is_bitwise(BinaryOp op);

Expr int_imm(int64_t value, DType type = DType::kI64);
Expr float_imm(double value, DType type = DType::kF32);
Expr bool_imm(bool value);
Expr unary(UnaryOp op, Expr a);
/// Operands must have one type; a scalar beside a vector is broadcast. Constants are not folded
/// here.
Expr binary(BinaryOp op, Expr a, Expr b);
Expr select(Expr condition, Expr a, Expr b);
Expr cast(DType type, Expr a);  ///< returns `a` when it has that type already
Expr load(Buffer buffer, std::vector<Expr> indices);
/// The least value of the type for max, the greatest for min: identities of those reductions.
Expr lowest(DType type);
Expr highest(DType type);

// Folding conveniences for index arithmetic: they fold constants and drop +0, *1, /1.
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);  ///< float division
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator&&(Expr a, Expr b);
Expr operator||(Expr a, Expr b);
Expr floor_div(Expr a, Expr b);
Expr floor_mod(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
inline Expr operator+(Expr a, int64_t b) { return std::move(a) + int_imm(b); }
inline Expr operator-(Expr a, int64_t b) { return std::move(a) - int_imm(b); }
inline Expr operator*(Expr a, int64_t b) { return std::move(a) * int_imm(b); }
inline Expr operator<(Expr a, int64_t b) { return std::move(a) < int_imm(b); }
inline Expr operator<=(int64_t a, Expr b) { return int_imm(a) <= std::move(b); }

}  // namespace tw::ir
