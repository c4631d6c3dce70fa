/// A node's attributes in words, with what is taken where a model does not say one.
#pragma once

#include <optional>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/session/inspector.h"

namespace tw::session {

/// What the operator takes for an attribute that its node does not have. `spatial`: axes of its
/// first input besides batch and channels. Empty: there is none, or nothing fixed.
std::optional<Attribute> usual_value(std::string const& op, std::string const& attribute,
                                     size_t spatial);

/// What the node has, then what it leaves to the operator, in the order in which the operator tells
/// of them.
std::vector<InspectedAttribute> attribute_views(Graph const& graph, Node const& node);

}  // namespace tw::session
