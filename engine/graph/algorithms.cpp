#include "engine/graph/algorithms.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/computes.h"

namespace tw {

std::vector<std::string> algorithms_of(Graph const& graph, Node const& node) {
  std::vector<std::string> names = compute_names(*node.op);
  Arrangement plain = arrangement_of(graph, node);
  for (auto* list : {&plain.inputs, &plain.outputs})
    for (LaidTensor& tensor : *list) tensor.layout = {};
  auto refuses = [&](std::string const& name) {
    plain.algorithm = name;
    return !takes(*node.op, node.attributes, plain);
  };
  names.erase(std::remove_if(names.begin() + 1, names.end(), refuses), names.end());
  return names;
}

bool has_algorithms(Graph const& graph, Node const& node) {
  if (!node.op || node.op->name != "conv" || node.inputs.size() < 2 ||
      integer(node.attributes, "group", 1) != 1)
    return false;
  for (size_t i : {0, 1}) {
    auto info = node.inputs[i].valid() ? tensor_info(graph.value(node.inputs[i])) : std::nullopt;
    if (!info || info->type != DType::kF32) return false;
  }
  return element_count(integers(node.attributes, "kernel")).value_or(0) > 1;
}

std::string algorithm_kind(Graph const& graph, Node const& node) {
  return fmt::format("{} {} {}", to_text(graph.value(node.inputs[0]).type),
                     to_text(graph.value(node.inputs[1]).type), to_text(node.attributes));
}

}  // namespace tw
