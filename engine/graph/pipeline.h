/// The passes over graphs, as data: each takes a graph and returns a new one.
#pragma once

#include <span>

#include <concepts>
#include <map>
#include <string>

#include "engine/graph/choices.h"

namespace tw {

/// Edges "FROM>TO" by the names of their nodes: true, the two become one kernel whatever the rule
/// says; false, they do not.
using FusionChoices = std::map<std::string, bool>;

/// What others have a say in.
struct PassChoices {
  LayoutChooser layouts;  ///< null: everything is plain
  FusionChoices fusion;

  PassChoices() = default;
  template <std::convertible_to<LayoutChooser> Chooser>
  PassChoices(Chooser chooser, FusionChoices together = {})
      : layouts(std::move(chooser)), fusion(std::move(together)) {}
};

/// What a pass did, in words with a number each: {"transposes removed", 4}.
using PassCounts = std::map<std::string, int64_t>;

struct GraphPass {
  std::string name;
  std::string title;  ///< what it does, a sentence
  std::string why;    ///< why it stands where it stands
  /// It adds what it did to the counts.
  Result<Graph> (*run)(Graph const&, PassChoices const&, PassCounts&) = nullptr;

  /// Without counts.
  Result<Graph> apply(Graph const& graph, PassChoices const& choices = {}) const {
    PassCounts counts;
    return run(graph, choices, counts);
  }
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

/// The passes of every target that does not say otherwise, in their order; each is run on the
/// graph, then on the graphs inside it.
std::span<GraphPass const> graph_passes();

/// What each pass made, for showing.
struct GraphStage {
  std::string name;
  std::string title;  ///< the pass's
  Graph graph;
  PassCounts counts;  ///< in the graph and those inside it
};
/// Runs the passes and verifies after each; the last stage is the result. The passes and the
/// layouts are the target's say, see `Backend::graph_passes` and `Backend::choose_layouts`. Errors:
/// those of the passes, cannot_fuse.
Result<std::vector<GraphStage>> run_graph_passes(
    Graph const& graph, PassChoices const& choices = {},
    std::span<GraphPass const> passes = graph_passes());
/// The last stage alone.
Result<Graph> optimize(Graph const& graph, PassChoices const& choices = {},
                       std::span<GraphPass const> passes = graph_passes());

}  // namespace tw
