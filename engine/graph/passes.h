/// The passes over graphs, as data: each takes a graph and returns a new one.
#pragma once

#include <span>

#include "engine/graph/choices.h"

namespace tw {

struct GraphPass {
  std::string name;
  Result<Graph> (*run)(Graph const&, LayoutChooser const&);
  std::string reason;  ///< why it stands where it stands, one sentence
};

/// dropout(x), identity(x)  -->  x;  batch_norm(conv(x, W, B))  -->  conv(x, W', B');
/// batch_norm(x)  -->  add(mul(x, scale), shift); conv(pad(x))  -->  conv(x) with more padding
Result<Graph> simplify_inference(Graph const& graph);
/// f(constants)  -->  a constant, until the graph has grown by 1 GiB; nodes whose
/// results nobody reads are dropped. if(constant, then, else)  -->  the nodes of then or of else.
Result<Graph> fold_constants(Graph const& graph);
/// Asks for the graph's layouts and algorithms and applies the answer (`apply_choices`); without a
/// chooser all stays plain.
Result<Graph> choose_layouts(Graph const& graph, LayoutChooser const& choose);
/// Sets `groups` and `decisions`: which nodes become one kernel and why.
/// Source: Chen et al. 2018 (TVM), §3 "Operator fusion".
Result<Graph> fuse_operators(Graph const& graph);

/// The passes in their order; each is run on the graph, then on the graphs inside it.
std::span<GraphPass const> graph_passes();

/// What each pass made, for showing.
struct GraphStage {
  std::string name;
  Graph graph;
};
/// Runs all passes and verifies after each; the last stage is the result. `choose` is the target's
/// say, see `Backend::choose_layouts`; without it everything is plain.
Result<std::vector<GraphStage>> run_graph_passes(Graph const& graph,
                                                 LayoutChooser const& choose = {});
/// The last stage alone.
Result<Graph> optimize(Graph const& graph, LayoutChooser const& choose = {});

}  // namespace tw
