// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/graph/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_graph() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<ChooseGraph>("graph", "shows the graph before or after fusion",
                           Word<ChooseGraph>{&ChooseGraph::form, "FORM", {"before", "after"}}),
          row<LookAtGraph>("look at graph", "scale, and where its corner stands",
                           Number(&LookAtGraph::scale, "SCALE"), Number(&LookAtGraph::x, "X"),
                           Number(&LookAtGraph::y, "Y"))
              .replacing(),
          row<FitGraph>("fit graph", "shows the whole width of the graph"),
          row<ExplainFusion>("why", "why two nodes were not fused, or why one joined",
                             Word(&ExplainFusion::from, "NODE"),
                             Optional<ExplainFusion>{&ExplainFusion::to, "NODE"}),
          row<FindInGraph>("find", "marks the nodes that contain these words, or none",
                           OptionalRest<FindInGraph>{&FindInGraph::text, "TEXT"})
              .replacing(),
          row<StepMatch>("match", "goes to the next node that was found, or to the one before",
                         Word<StepMatch>{&StepMatch::direction, "DIRECTION", {"next", "previous"}}),
      },
      {
          {"view.graph.nodes", "", "cards of the graph"},
          {"view.graph.edges", "", "lines between them"},
          {"view.graph.frame", "ms", "what the last picture of the graph took"},
          {"view.graph.scale", "", "1: as it was laid out"},
          {"find.matches", "", "nodes that were found in the graph"},
          {"find.current", "", "the one that is shown, from 1; 0: none"},
          {"find.node", "words", "its name, or none"},
      }};
  return words;
}

}  // namespace tw
