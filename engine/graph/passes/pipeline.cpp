#include "engine/graph/passes.h"

namespace tw {

std::span<GraphPass const> graph_passes() {
  static GraphPass const passes[] = {
      {"fold_constants", fold_constants,
       "first: parameters made by Constant nodes become known to the passes after it"},
      {"simplify_inference", simplify_inference,
       "before fusion: a normalization that is folded into a convolution's weights needs no "
       "kernel"},
      {"fold_constants_again", fold_constants,
       "after simplification: what it left behind is dropped"},
      {"pack_weights", pack_weights,
       "after folding: the weights that run are known, normalizations are in them"},
      {"block_channels", block_channels,
       "after weights were packed: blocks of channels are made of the same vectors"},
      {"fuse_operators", fuse_operators, "last: it groups the nodes that are left"},
  };
  return passes;
}

namespace {

/// The pass on the graph, then on the graphs inside it.
Result<Graph> run_pass(GraphPass const& pass, Graph const& graph) {
  TRY_ASSIGN(Graph next, pass.run(graph));
  for (Node& node : next.nodes) {
    if (!node.control) continue;
    for (std::shared_ptr<Graph const>& body : node.sub_graphs) {
      TRY_ASSIGN(Graph inside, run_pass(pass, *body));
      body = std::make_shared<Graph const>(std::move(inside));
    }
  }
  return next;
}

}  // namespace

Result<std::vector<GraphStage>> run_graph_passes(Graph const& graph) {
  std::vector<GraphStage> stages;
  for (GraphPass const& pass : graph_passes()) {
    TRY_ASSIGN(Graph next, run_pass(pass, stages.empty() ? graph : stages.back().graph));
    TRY(verify(next));
    stages.push_back({pass.name, std::move(next)});
  }
  return stages;
}

Result<Graph> optimize(Graph const& graph) {
  TRY_ASSIGN(std::vector<GraphStage> stages, run_graph_passes(graph));
  return std::move(stages.back().graph);
}

}  // namespace tw
