/// Which node of the graph after its passes stands for a node before them, told from what both
/// graphs show: names, and the values that nodes make.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/session/values.h"

namespace tw::session {

struct NodePairs {
  std::unordered_map<int, int> after;                ///< by the id before
  std::unordered_map<int, std::vector<int>> before;  ///< by the id after, in the graph's order
  std::unordered_set<int> gone;  ///< ids before of those that stand where their value is read
};

/// A node keeps its name where it stays. One that another took in (a normalization in a
/// convolution) stands where its value is made now; one that is gone (a copy, zeros around an
/// image, a constant that was computed) where its value is read. What nothing reads stands nowhere.
NodePairs pair_nodes(GraphView const& graph);

/// The kernel that computes an operator.
struct ComputedIn {
  int kernel = -1;  ///< row of the kernel table; -1: none computes it
  std::string why;  ///< a sentence: no kernel does, or nothing is left of it but what one reads
};
ComputedIn computed_in(GraphView const& graph, int node);
ComputedIn computed_in(GraphView const& graph, NodePairs const& pairs, int node_before);

}  // namespace tw::session
