/// Sub-graphs while a foreign model is read: built, their types settled, given to their node.
#pragma once

#include "engine/graph/control.h"
#include "engine/imported/imported_model.h"

namespace tw {

using ForeignBody = std::shared_ptr<ForeignGraph const>;

/// A sub-graph, and the values of the graph around it that are its last inputs.
struct Body {
  Graph graph;
  std::vector<ValueId> captured;
  std::string failure;  ///< not empty: nothing can run it
};

/// The graph that is an attribute of the node; null: it has none of this name.
ForeignBody body_of(ForeignNode const& node, std::string const& attribute);
/// Names of the outputs of a known operator that makes `count` of them: the first is always made,
/// the others where they are among the names that somebody reads.
std::vector<std::string> made_outputs(std::set<std::string> const& read, ForeignNode const& node,
                                      std::string const& name, size_t count);

/// Builds one body; `given` are its inputs before the captured ones, null: as it declares them.
using BuildBody = std::function<Result<Body>(ForeignGraph const&, std::vector<Value> const* given)>;

/// Builds a body. One whose nodes do not fit each other stands for itself as a node that nothing
/// can run: another one may be chosen. Errors: of a file that makes no sense, whatever would run.
Result<Body> try_body(ForeignGraph const& source, std::vector<Value> const* given,
                      BuildBody const& build);

struct ControlBodies {
  std::vector<Body> bodies;
  std::vector<ValueType> outputs;  ///< types of the node's outputs
};
/// All bodies of a control node, with types that hold in every run. Errors: those of the operator.
Result<ControlBodies> build_bodies(Node const& node, std::vector<Value> const& operands,
                                   std::vector<ForeignBody> const& sources, BuildBody const& build);

/// The node gets the bodies; what any of them captures becomes an input of the node and of all.
/// Their notes become the graph's.
void own_bodies(Graph& graph, Node& node, std::vector<Body> bodies);

}  // namespace tw
