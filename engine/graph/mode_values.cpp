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
    {"Loop", 0, 1},    // rounds
    {"Loop", 1, 1},    // the condition, true where it is left out
    {"TopK", 1, 1},    // how many
    {"Range", 1, 1},   // the end
    {"Range", 2, 1},   // the step
    {"OneHot", 1, 1},  // classes
    {"DFT", 1, 1},     // a length
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
