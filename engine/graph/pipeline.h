/// The passes over graphs, as data: each takes a graph and returns a new one.
#pragma once

#include <span>

#include "engine/graph/choices.h"

namespace tw {

struct GraphPass {
  std::string name;
  std::string title;  ///< what it does, a sentence
  std::string why;    ///< why it stands where it stands
  Result<Graph> (*run)(Graph const&, LayoutChooser const&) = nullptr;

  /// The same pass where it stands for another reason.
  GraphPass because(std::string reason) const {
    GraphPass pass = *this;
    pass.why = std::move(reason);
    return pass;
  }
};

/// One file of `passes/` defines one pass, `GraphPass FILE()`. The build writes the table, and
/// engine/graph/passes.h with the functions.
struct GraphPassRow {
  std::string file;
  GraphPass (*make)() = nullptr;
};
/// Sorted by file.
std::span<GraphPassRow const> graph_pass_table();

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
