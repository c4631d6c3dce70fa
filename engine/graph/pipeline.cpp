#include "engine/graph/pipeline.h"

#include "engine/graph/passes.h"

namespace tw {

std::span<GraphPass const> graph_passes() {
  static GraphPass const passes[] = {
      simplify_transposes(),
      lower_quantized(),
      fold_constants(),
      simplify_inference(),
      fold_constants().because("after simplification: the nodes that it left unused are removed"),
      simplify_transposes().because(
          "after folding: branches that were taken and copies that went brought others together"),
      choose_layouts(),
      split_winograd(),
      fuse_operators(),
  };
  return passes;
}

namespace {

/// The pass on the graph, then on the graphs inside it.
Result<Graph> run_pass(GraphPass const& pass, Graph const& graph, PassChoices const& choices,
                       PassCounts& counts) {
  TRY_ASSIGN(Graph next, pass.run(graph, choices, counts));
  for (Node& node : next.nodes) {
    if (!node.control) continue;
    for (std::shared_ptr<Graph const>& body : node.sub_graphs) {
      TRY_ASSIGN(Graph inside, run_pass(pass, *body, choices, counts));
      body = std::make_shared<Graph const>(std::move(inside));
    }
  }
  return next;
}

}  // namespace

Result<std::vector<GraphStage>> run_graph_passes(Graph const& graph, PassChoices const& choices,
                                                 std::span<GraphPass const> passes) {
  std::vector<GraphStage> stages;
  for (GraphPass const& pass : passes) {
    Graph const& last = stages.empty() ? graph : stages.back().graph;
    PassCounts counts;
    TRY_ASSIGN(Graph next, run_pass(pass, last, choices, counts));
    TRY(verify(next));
    stages.push_back({pass.name, pass.title, std::move(next), std::move(counts)});
  }
  return stages;
}

Result<Graph> optimize(Graph const& graph, PassChoices const& choices,
                       std::span<GraphPass const> passes) {
  if (passes.empty()) return graph;
  TRY_ASSIGN(std::vector<GraphStage> stages, run_graph_passes(graph, choices, passes));
  return std::move(stages.back().graph);
}

}  // namespace tw
