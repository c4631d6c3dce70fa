/// Inputs on which a wrong schedule shows.
#pragma once

#include "engine/te/te.h"
#include "engine/tensor/ndarray.h"

namespace tw::te {

/// Seeded values for a kernel's inputs, in its order. Errors: those of making the tensors.
///
/// Floats are sixteenths from 1/16 to 16/16 with either sign, never 0: a term that is left out or
/// taken twice changes the sum, few elements are equal, and sums of products of them are exact in
/// any order up to tens of thousands of terms. What a sum multiplies with is smaller by a power of
/// two near the root of the number of terms (near that number in a recurrence), so that nothing
/// saturates and errors do not grow from step to step. What a root, a logarithm or a power is taken
/// of, or is divided by, is positive. Integers that are indices lie inside of their dimension,
/// others from 0 to 9.
Result<std::vector<NDArray>> proving_inputs(Kernel const& kernel, uint64_t seed);

}  // namespace tw::te
