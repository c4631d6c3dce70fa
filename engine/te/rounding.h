/// How far two right evaluations of a kernel may be apart: whatever the order of its sums, and
/// whether products and sums are fused or not.
#pragma once

#include <span>

#include "engine/te/te.h"
#include "engine/tensor/ndarray.h"

namespace tw::te {

/// What is known of the elements of a tensor: no one is larger than `most`, all are multiples of
/// `step` (a power of two; 0: of none).
struct Grid {
  double most = 0;
  double step = 0;
};
/// Of the values as they are. What is not finite has no grid.
Grid grid_of(NDArray const& values);

struct RoundingAnalysis {
  /// A kernel of the same inputs. Its outputs are, of each output of the first kernel, the value
  /// in double precision (integers and conditions as they are), then, where `bounded`, a bound of
  /// the error of each element (f64): 0 where all evaluations agree, infinite or NaN where none
  /// can be given.
  Kernel kernel;
  /// Not bounded: every evaluation gives the same bits. Integers that do not come from floats are;
  /// so are floats where no sum or product needs more places than the type has.
  std::vector<bool> bounded;
  bool all_exact() const;
};

/// First-order error analysis of every stage: `|error| <= sum over the roundings of what each one
/// adds`, carried through products, quotients and functions by their derivatives. A sum of n terms
/// adds min(n, 4 sqrt(n)) units of rounding of the sum of the terms' magnitudes: the worst order
/// may add n, which would hide a missing term of a long sum, but errors that large need all
/// roundings to go one way (Higham and Mary 2019). A condition on floats that rounding may turn
/// counts as both. What is made of a half that may be infinite has no bound: another order, or one
/// rounding less, makes the infinity or does not. Values are `inputs`, in the kernel's order.
RoundingAnalysis analyze_rounding(Kernel const& kernel, std::span<NDArray const> inputs);

}  // namespace tw::te
