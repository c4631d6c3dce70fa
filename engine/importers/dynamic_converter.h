/// Rules that are asked again in each run, when the operands' elements are known.
#pragma once

#include "engine/graph/dynamic_node.h"
#include "engine/importers/converter.h"

namespace tw {

/// Keeps the node and the rule, which belongs to a table, for the graph's life.
std::shared_ptr<DynamicNode const> dynamic_node(ForeignNode const& node, int64_t opset,
                                                Converter const& rule);

}  // namespace tw
