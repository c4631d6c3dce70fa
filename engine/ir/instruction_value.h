/// What an instruction makes of values, as its declaration says.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/intrinsic.h"
#include "engine/tensor/ndarray.h"

namespace tw::ir {

/// The parameters that the operands of an `IntrinsicValue` are, in their order: the one that is
/// updated first. The one that it writes is last, and stands there alone where it is not read.
struct ValueParams {
  std::vector<IntrinsicParam const*> operands;
  IntrinsicParam const* result = nullptr;
};
/// Without a result where the declaration writes no tensor or several.
ValueParams value_params(IntrinsicNode const& intrinsic);
/// Elements of a parameter of constant shape; 1 of a number.
int lanes_of(IntrinsicParam const& param);

/// Runs the behaviour on the operands' elements, a number being one element. Errors: those of
/// `interpret`.
Result<NDArray> instruction_value(IntrinsicNode const& intrinsic,
                                  std::vector<NDArray> const& operands);

}  // namespace tw::ir
