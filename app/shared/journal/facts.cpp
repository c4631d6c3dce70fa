#include "app/shared/journal/journal.h"

namespace tw::journal {

std::vector<FactInfo> const& facts() {
  static std::vector<FactInfo> const all = {
      {"model", "words", "name of the open model, or none"},
      {"model.operators", "", "operators of the model as it was read"},
      {"model.time", "ms", "of the whole model, measured inside the network"},
      {"kernels", "", "rows of the kernel table"},
      {"kernel", "words", "name of the chosen kernel, or none"},
      {"kernel.time", "ms", "measured time of the current step"},
      {"kernel.speed", "GFLOP/s", "measured speed of the current step"},
      {"kernel.state", "words", "plain, default, hand or tuned"},
      {"state", "words", "unknown, checking, correct or wrong: what the current step computes"},
      {"step", "words", "script line of the current step"},
      {"history.nodes", "", "steps of the history, the plain nest among them"},
      {"history.current", "", "the current step's number"},
      {"history.note", "words", "note on the current step, or none"},
      {"history.marked", "", "the step that has the ring"},
      {"history.found", "", "steps that have the words that were looked for"},
      {"compare", "words", "names of the compared states, or none"},
      {"replay", "words", "what the last replay on another kernel came to, or none"},
      {"loops", "", "bars of the loop nest"},
      {"loop", "words", "the selected loop, or none"},
      {"loop.extent", "", "iterations of the selected loop"},
      {"loop.mark", "words", "serial, parallel, vector, unroll or bind: of the selected loop"},
      {"hover", "words", "the loop that is lit up by the pointer, or none"},
      {"refusal", "words", "code of the refused step, or none"},
      {"refusal.repairs", "", "repairs that the card offers"},
      {"error", "words", "what was wrong with the last action, or none"},
      {"status", "words", "the line at the bottom"},
      {"view", "words", "the tab that is shown in the middle"},
      {"view.graph.nodes", "", "cards of the graph"},
      {"view.graph.edges", "", "lines between them"},
      {"view.graph.frame", "ms", "what the last picture of the graph took"},
      {"find.matches", "", "nodes that were found in the graph"},
      {"find.current", "", "the one that is shown, from 1; 0: none"},
      {"find.node", "words", "its name, or none"},
      {"view.graph.scale", "", "1: as it was laid out"},
      {"view.code.lines", "", "lines of the code that is shown"},
      {"view.why", "words", "what the Why tab says"},
      {"theme", "words", "dark, light or high-contrast"},
      {"window.width", "", "in logical pixels"},
      {"window.height", "", "in logical pixels"},
      {"dialog", "words", "name of the dialog that is open, or none"},
      {"project", "words", "name of the project's file, or none"},
      {"project.changed", "words", "yes when there is something that its file does not have"},
      {"elapsed", "ms", "from the last action until everything was still"},
  };
  return all;
}

}  // namespace tw::journal
