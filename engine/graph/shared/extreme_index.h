/// The place of the largest or the smallest element along an axis.
#pragma once

#include "engine/graph/shared/reduction.h"

namespace tw::ops {

/// `largest`: of the largest element, else of the smallest. A NaN counts as either.
Result<Tensors> compute_extreme(bool largest, Attributes const& attributes, Buffers inputs,
                                std::string const& name);
ReferenceResult reference_extreme(bool largest, Attributes const& attributes, Arrays inputs);
/// Fills in what the row of such an operator leaves out.
Operator of_extreme(Operator op);

template <bool kLargest>
Operator extreme_operator(Operator op) {
  op.compute = [](Attributes const& attributes, Buffers inputs, std::string const& name) {
    return compute_extreme(kLargest, attributes, inputs, name);
  };
  op.reference = [](Attributes const& attributes, Arrays inputs) {
    return reference_extreme(kLargest, attributes, inputs);
  };
  return of_extreme(std::move(op));
}

}  // namespace tw::ops
