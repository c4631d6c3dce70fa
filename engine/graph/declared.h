/// What a foreign model declares of its values.
#pragma once

#include "engine/graph/graph.h"

namespace tw {

ValueType type_of(ForeignValue const& value);
/// Gives an input the shape that its open extents were fixed to. Errors: wrong_shapes.
Status fix_shape(Value& input, Shape const& shape);

/// What a conversion sees of the node, whose operands are those of the foreign node.
ForeignContext context_of(ForeignModel const& model, ForeignNode const& foreign, Graph const& graph,
                          Node const& node);

}  // namespace tw
