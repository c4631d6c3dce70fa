#include "engine/graph/control_inputs.h"

namespace tw {
namespace {

/// An operand whose usual value is not 0. Those that are usually 0 (a training mode, a zero point,
/// a diagonal) need no row.
struct Usual {
  char const* op;
  size_t place;
  double value;
};

constexpr Usual kUsual[] = {
    {.op = "loop", .place = 0, .value = 1},     // rounds
    {.op = "loop", .place = 1, .value = 1},     // the condition, true where it is left out
    {.op = "top_k", .place = 1, .value = 1},    // how many
    {.op = "range", .place = 1, .value = 1},    // the end
    {.op = "range", .place = 2, .value = 1},    // the step
    {.op = "one_hot", .place = 1, .value = 1},  // classes
    {.op = "DFT", .place = 1, .value = 1},      // a length; nothing here computes it
};

}  // namespace

double usual_value(Graph const& graph, ValueId input) {
  for (Node const& node : graph.nodes)
    for (size_t i = 0; i < node.inputs.size(); ++i)
      for (Usual const& usual : kUsual)
        if (node.inputs[i] == input && i == usual.place && node.type == usual.op)
          return usual.value;
  return 0;
}

}  // namespace tw
