/// What a foreign model declares of its values.
#pragma once

#include "engine/graph/graph.h"

namespace tw {

ValueType type_of(ForeignValue const& value);
/// Gives an input the shape that its open extents were fixed to. Errors: wrong_shapes.
Status fix_shape(Value& input, Shape const& shape);

}  // namespace tw
