/// The tensors of the model by name, each at the node of the graph where one goes for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace tw::session {

class Session;

/// At the node that makes it; an input or a constant at each node that reads it.
struct GraphTensor {
  int node = -1;  ///< as the graph's views number them
  std::string name;
  std::string by;     ///< the node's name; of one that a pass took away "bn1 before fusion"
  bool made = false;  ///< by the node; else it is read
  std::string shape;  ///< "64x56x56"
  bool operator==(GraphTensor const&) const = default;
};
/// In the order of the graph. One that the passes took away, as a scale that was folded into
/// weights, is after fusion at the node that stands for the one before.
struct GraphTensors {
  std::vector<GraphTensor> after, before;
};

/// Of the open model; null: there is none.
std::shared_ptr<GraphTensors const> graph_tensors(Session& session);

}  // namespace tw::session
