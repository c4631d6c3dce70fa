/// The order in which a foreign graph's nodes are read: files need not have them sorted.
#pragma once

#include <set>

#include "engine/imported/imported_model.h"
#include "engine/support/base/error.h"

namespace tw {

/// Places of the nodes, producers before consumers, else as the file has them; what graphs inside
/// read counts. Errors: cyclic_graph, which names nodes that wait for each other.
Result<std::vector<size_t>> sorted_nodes(ForeignGraph const& graph);

/// Every name that the nodes of the graph and of the graphs inside it read, and its outputs.
std::set<std::string> names_read(ForeignGraph const& graph);

}  // namespace tw
