#include "engine/graph/mode_values.h"

#include "engine/graph/control.h"
#include "engine/graph/late.h"

namespace tw {
namespace {

/// An operand whose usual value is not 0. Those that ONNX documents as 0 (a training mode, a zero
/// point, a diagonal) need no row.
struct Usual {
  char const* op;
  size_t place;
  double value;
};

constexpr Usual kUsual[] = {
    {.op = "Loop", .place = 0, .value = 1},    // rounds
    {.op = "Loop", .place = 1, .value = 1},    // the condition, true where it is left out
    {.op = "TopK", .place = 1, .value = 1},    // how many
    {.op = "Range", .place = 1, .value = 1},   // the end
    {.op = "Range", .place = 2, .value = 1},   // the step
    {.op = "OneHot", .place = 1, .value = 1},  // classes
    {.op = "DFT", .place = 1, .value = 1},     // a length
};

std::string onnx_name(Node const& node) {
  if (node.late) return node.late->node.op_type;
  if (node.control) return node.control->onnx;
  return node.op ? node.op->onnx : node.type;
}

}  // namespace

double usual_value(Graph const& graph, ValueId input) {
  for (Node const& node : graph.nodes)
    for (size_t i = 0; i < node.inputs.size(); ++i)
      for (Usual const& usual : kUsual)
        if (node.inputs[i] == input && i == usual.place && onnx_name(node) == usual.op)
          return usual.value;
  return 0;
}

}  // namespace tw
