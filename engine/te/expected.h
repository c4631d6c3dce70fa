/// What every schedule of a kernel computes on given inputs, and the judge of whether it did.
#pragma once

#include <functional>
#include <vector>

#include "engine/te/te.h"
#include "engine/tensor/limits.h"
#include "engine/tensor/ndarray.h"

namespace tw::te {

/// One output: its values (floats in double precision) and how far each element may be from its
/// one. `bounds` empty: the bits are the same whatever the schedule.
struct ExpectedOutput {
  NDArray values;
  NDArray bounds;
};
using Expected = std::vector<ExpectedOutput>;

/// Runs a plain program on the kernel's inputs: by the interpreter, or compiled where that would
/// take too long.
using RunProgram = std::function<Result<std::vector<NDArray>>(ir::Program const&)>;

/// Values and bounds by `analyze_rounding`. Errors: those of `run`.
Result<Expected> expected_outputs(Kernel const& kernel, std::vector<NDArray> const& inputs,
                                  RunProgram const& run);

/// Integers, conditions and exact floats are equal; other floats are within twice the bound of
/// their element (it is of first order). NaN equals NaN only. What overflows is infinite.
Comparison judge(NDArray const& actual, ExpectedOutput const& expected);
/// All outputs: the verdict of the worst one. Unequal where their numbers differ.
Comparison judge(std::vector<NDArray> const& actual, Expected const& expected);

/// The same judgement as limits, for an output of that type. Errors: those of NDArray.
Result<Limits> limits_of(ExpectedOutput const& expected, DType type);

/// Values that another program has stored, of a whole network: nothing is known of its roundings.
/// Integers and conditions are exact; a float may be apart by a thousandth of itself and a
/// ten-thousandth of the root of the mean square of all (f16 four times, bf16 sixteen times that,
/// two units in its last place): a share of the largest element alone would let small ones be
/// anything.
ExpectedOutput stored_output(NDArray values);

/// Elements of which the judge knows nothing: their bound is not finite. A condition on a float
/// that rounding may turn makes them, a division by what may be 0, or a half that may be infinite
/// on the way.
int64_t undecided(Expected const& expected);

}  // namespace tw::te
