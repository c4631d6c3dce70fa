/// Inputs of one number that decide what a model computes: a mode, a count, an index.
#pragma once

#include "engine/graph/graph.h"

namespace tw {

/// What such an input is when nobody gives it: what the operator takes where the operand that it
/// becomes is left out, 1 where it counts rounds or elements, else 0 (false).
double usual_value(Graph const& graph, ValueId input);

}  // namespace tw
