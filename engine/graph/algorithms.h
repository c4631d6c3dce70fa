/// Nodes that can run by several algorithms, for those who choose.
#pragma once

#include "engine/graph/graph.h"

namespace tw {

/// Names of its operator's computes that take the node with plain tensors, the first first; one
/// where there is nothing to choose.
std::vector<std::string> algorithms_of(Graph const& graph, Node const& node);

/// A convolution of f32 in one group, with more than one tap, whose extents are known.
bool has_algorithms(Graph const& graph, Node const& node);

/// What is the same for convolutions that are one kernel: they share their algorithm.
std::string algorithm_kind(Graph const& graph, Node const& node);

}  // namespace tw
