/// An expression in double precision with a bound of the error that its own type adds.
#pragma once

#include <map>
#include <string>

#include "engine/ir/op.h"
#include "engine/te/rounding.h"

namespace tw::te {

/// A tensor of the kernel: its value in double, the bound of its error (null: exact).
struct KnownTensor {
  Buffer value, error;
  Grid grid;
  bool overflows = false;  ///< elements may be too large for its type
};
using KnownTensors = std::map<std::string, KnownTensor>;

struct Approximation {
  Expr value;  ///< f64 for floats, else as it was
  Expr error;  ///< f64; null: exact. Of a condition: not 0 where it may be the other one
  Grid grid;   ///< `step` of exact values only
  /// f64; of what was computed on the way, the largest share of what its type holds at most; null:
  /// nothing is too large.
  Expr peak;
};

/// Of values that may be infinite in floats of 32 bits: finite in those of 64 even as a product of
/// five.
constexpr double kVeryLarge = 0x1p200;
/// Whether values up to `most` are so large, as integers over their whole range are, that few
/// products of them are infinite in floats of 32 bits. What is not known (infinite) is not.
bool is_large(double most);

/// Half a unit in the last place of 1, and half of the least denormal number.
double unit(DType type);
double least(DType type);
/// The largest finite number.
double largest(DType type);
/// Whether values on the grid need no rounding to the type.
bool fits(DType type, Grid const& grid);
/// The grid of an integer that wraps around; of floats as it is.
Grid wrapped(DType type, Grid const& grid);
/// Whether values on the grid may be infinite in the type, where it is one of floats. Types wider
/// than a half reach so far that nothing is said where the largest value is not known.
bool may_overflow(DType type, Grid const& grid);
/// Of the largest finite number of the type.
Expr share_of(DType type, Expr const& size);
/// 0 where the share is at most 1, infinite elsewhere (null: null): nothing is known of what is
/// made of an infinity that another order, or one rounding less, would not have made.
Expr overflow(Expr const& share);
/// The sum of two, the larger one of two; null is nothing.
Expr sum(Expr const& a, Expr const& b);
Expr larger(Expr const& a, Expr const& b);
Expr as_double(Expr const& e);
inline Expr double_imm(double value) { return ir::float_imm(value, DType::kF64); }

class Approximator {
public:
  Approximator(KnownTensors const& known, Stage const& stage) : known_(known), stage_(stage) {}
  Approximation of(Expr const& e) const;

private:
  /// What is computed with, and not just passed on: its peak is its own, too.
  Approximation operand(Expr const& e) const;
  Approximation load(ir::Load const& read) const;
  Approximation unary(ir::Unary const& node) const;
  Approximation function(ir::Unary const& node, Approximation const& a) const;
  Approximation binary(ir::Binary const& node) const;
  Approximation arithmetic(ir::Binary const& node, Approximation const& a,
                           Approximation const& b) const;
  Approximation condition(ir::Binary const& node, Approximation const& a,
                          Approximation const& b) const;
  Approximation select(ir::Select const& node) const;
  Approximation cast(ir::Cast const& node) const;
  Approximation variable(Expr const& e, std::string const& name) const;
  /// With what rounding to the type adds to the error so far.
  static Approximation rounded(DType type, Approximation const& exact, double units = 1);

  KnownTensors const& known_;
  Stage const& stage_;
};

}  // namespace tw::te
