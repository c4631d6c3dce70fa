/// Operators that nothing here computes, but of which is known what they make: what stands behind
/// them then has shapes, and kernels. Networks of QuantizeLinear and its kin are full of them.
#pragma once

#include "engine/graph/graph.h"
#include "engine/importers/converter.h"

namespace tw {

/// Types of the foreign node's outputs, as far as they follow from its operands; fewer than it has
/// outputs where nothing is known of the rest.
std::vector<ValueType> onnx_known_types(ForeignContext const& context,
                                        std::vector<Value> const& operands);

}  // namespace tw
