/// Operators that nothing here computes, but of which is known what they make: what stands behind
/// them then has shapes, and kernels. Networks of QuantizeLinear and its kin are full of them.
#pragma once

#include "engine/graph/graph.h"

namespace tw {

/// Types of the foreign node's outputs, as far as they follow from its operands; fewer than it has
/// outputs where nothing is known of the rest.
std::vector<ValueType> known_types(ForeignContext const& context,
                                   std::vector<Value> const& operands);

/// Adds to `declared` what `known` tells besides; what both tell stays as declared.
void refine(ValueType& declared, ValueType const& known);

}  // namespace tw
