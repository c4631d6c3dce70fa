/// Which values an integer operator can give, for every operator and type: the one table that the
/// bounds of indices (simplify.h) and the check of reads (te/bounds.h) rest on.
#pragma once

#include <optional>

#include "engine/ir/handles.h"

namespace tw::arith {

/// Both ends included; wide enough for sums of 64-bit numbers. A product that leaves even this is
/// a number beyond every type.
struct WideInterval {
  __int128 low = 0, high = 0;
  bool operator==(WideInterval const&) const = default;
  bool is_point() const { return low == high; }
  bool empty() const { return low > high; }
};

/// All numbers of an integer type or bool. Error of the program: a type of floats.
WideInterval values_of(DType type);
bool within(WideInterval const& inner, WideInterval const& outer);
WideInterval hull(WideInterval const& a, WideInterval const& b);
WideInterval intersection(WideInterval const& a, WideInterval const& b);

/// What `a op b` gives before it is wrapped to the type of its operands: the caller compares with
/// `values_of`. A quotient is that of divisors other than zero; empty where there are none. Not for
/// operators of floats.
WideInterval interval_of(ir::BinaryOp op, DType type, WideInterval const& a, WideInterval const& b);
WideInterval interval_of(ir::UnaryOp op, DType type, WideInterval const& a);

}  // namespace tw::arith
