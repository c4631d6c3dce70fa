// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/graph/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_graph() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<ChooseGraph>(
              "graph", "shows the graph before or after fusion, or both side by side",
              Word<ChooseGraph>{&ChooseGraph::form, "FORM", {"before", "after", "both"}}),
          row<ChooseInGraph>(
              "choose in graph",
              "selects a node or a group, and its counterpart on the other side of fusion",
              Word<ChooseInGraph>{&ChooseInGraph::form, "FORM", {"before", "after"}},
              Rest<ChooseInGraph>{&ChooseInGraph::name, "NAME"}),
          row<LookAtGraph>("look at graph",
                           "sets the scale of the graph and the position of its corner",
                           Number(&LookAtGraph::scale, "SCALE"), Number(&LookAtGraph::x, "X"),
                           Number(&LookAtGraph::y, "Y"))
              .replacing(),
          row<FitGraph>("fit graph", "fits the whole graph into the view"),
          row<OverlayGraph>("overlay", "chooses what the bars of the graph's nodes show",
                            Word<OverlayGraph>{&OverlayGraph::quantity,
                                               "QUANTITY",
                                               {"none", "time", "bytes", "intensity", "coverage"}}),
          row<FoldGraph>("fold graph",
                         "folds a group of the graph to one node; without a name, all",
                         OptionalRest<FoldGraph>{&FoldGraph::group, "GROUP"}),
          row<UnfoldGraph>("unfold graph",
                           "opens a group of the graph in a frame; without a name, all",
                           OptionalRest<UnfoldGraph>{&UnfoldGraph::group, "GROUP"}),
          row<CancelLayout>("cancel layout",
                            "stops laying out the graph and keeps the previous layout"),
          row<LayOutGraph>("lay out graph", "restarts a cancelled layout of the graph"),
          row<ExplainFusion>("why",
                             "explains why two nodes were not fused, or why one joined its kernel",
                             Word(&ExplainFusion::from, "NODE"),
                             Optional<ExplainFusion>{&ExplainFusion::to, "NODE"}),
          row<FindInGraph>("find",
                           "finds the nodes whose text, or the name of a tensor that they make or "
                           "read, contains these words; 'name:', 'op:', 'kernel:' or 'tensor:' "
                           "before a word searches only that field; without words, ends the search",
                           OptionalRest<FindInGraph>{&FindInGraph::text, "TEXT"})
              .replacing(),
          row<OnlyMatches>("only matches",
                           "dims what does not match in the graph, or shows it again",
                           Word<OnlyMatches>{&OnlyMatches::on, "SWITCH", {"on", "off"}}),
          row<StepMatch>(
              "match", "chooses the next node found, the previous one, or the one that is shown",
              Word<StepMatch>{&StepMatch::direction, "DIRECTION", {"next", "previous", "current"}}),
          row<BlocksLike>("blocks like",
                          "marks the groups of the graph that are built like one; without a name, "
                          "like the chosen one or the one around the kernel",
                          OptionalRest<BlocksLike>{&BlocksLike::group, "GROUP"}),
          row<StepBlock>(
              "block",
              "goes to the next group that is built alike, or to the previous one; or clears the "
              "marks",
              Word<StepBlock>{&StepBlock::direction, "DIRECTION", {"next", "previous", "end"}}),
      },
      {
          {"view.graph.nodes", "", "number of nodes shown in the graph"},
          {"view.graph.form", "words", "after, before or both: which graph is shown"},
          {"view.graph.chosen", "", "number of nodes that are marked in the graph"},
          {"view.graph.chosen_before", "", "number of nodes marked in the graph before fusion"},
          {"view.graph.words", "words",
           "the line below the graph about the chosen operator, or none"},
          {"view.graph.edge", "", "1 while an edge of the graph is marked, else 0"},
          {"view.graph.overlay", "words", "what the bars of the graph's nodes show"},
          {"view.graph.marks", "", "number of edges in the graph that fusion judged"},
          {"view.graph.map", "", "1 while the minimap of the graph is shown, else 0"},
          {"view.graph.groups", "", "number of groups in the graph, open ones and folded ones"},
          {"view.graph.folded", "", "number of visible folded groups in the graph"},
          {"view.graph.group", "words", "group of the graph that keys work on, or none"},
          {"view.graph.edges", "", "number of edges between the shown nodes"},
          {"view.graph.layout", "words", "state of the graph's layout: done, running or cancelled"},
          {"view.graph.frame", "ms", "time that the last drawing of the graph took"},
          {"view.graph.scale", "", "scale of the graph; 1: as laid out"},
          {"blocks.count", "", "number of groups that are marked as built alike; 0: none are"},
          {"blocks.current", "", "number of the one that is shown, from 1; 0: none"},
          {"blocks.group", "words", "the one that is shown, or none"},
          {"blocks.words", "words", "the message about the groups that are built alike"},
          {"find.matches", "", "number of nodes found in the graph"},
          {"find.current", "", "number of the found node that is shown, from 1; 0: none"},
          {"find.node", "words", "name of the found node that is shown, or none"},
          {"find.what", "words",
           "what was found there: the node, or the tensor that it makes or reads; or none"},
          {"find.dimmed", "", "number of nodes that are dimmed, as they do not match"},
      }};
  return words;
}

}  // namespace tw
