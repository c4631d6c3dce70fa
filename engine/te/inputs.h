/// Inputs on which a wrong schedule shows.
#pragma once

#include <string_view>

#include "engine/te/te.h"
#include "engine/tensor/ndarray.h"

namespace tw::te {

/// What the values of a kernel's inputs are to show.
enum class InputSet : uint8_t {
  kProving,   ///< wrong terms, in sums that are exact
  kExtreme,   ///< signs, widths and wrapping: integers of their type's whole range, ends among them
  kOrdinary,  ///< roundings: floats with all their digits; NaN, infinities and zeros of both signs
              ///< where the kernel compares and sums nothing up, which would make all of it NaN
};
/// "signed and extreme integers"
std::string_view words_of(InputSet set);
/// Whether the kernel has inputs that this set treats otherwise than the first one does.
bool says_more(Kernel const& kernel, InputSet set);

/// Seeded values for a kernel's inputs, in its order. Errors: those of making the tensors. Of the
/// first set:
///
/// Floats are sixteenths from 1/16 to 16/16 with either sign, never 0: a term that is left out or
/// taken twice changes the sum, few elements are equal, and sums of products of them are exact in
/// any order up to tens of thousands of terms. What a sum multiplies with is smaller by a power of
/// two near the root of the number of terms (near that number in a recurrence), so that nothing
/// saturates and errors do not grow from step to step. What a root, a logarithm or a power is taken
/// of, or is divided by, is positive. Integers that are indices lie inside of their dimension,
/// others from 0 to 9.
Result<std::vector<NDArray>> proving_inputs(Kernel const& kernel, uint64_t seed,
                                            InputSet set = InputSet::kProving);

}  // namespace tw::te
