#include <fmt/format.h>

#include <set>

#include "engine/graph/control.h"
#include "engine/ir/text.h"

namespace tw {
namespace {

std::string name_of(Graph const& graph, ValueId id) {
  return id.valid() ? "'" + graph.value(id).name + "'" : "none";
}

std::string names(Graph const& graph, std::vector<ValueId> const& ids) {
  std::string text;
  for (ValueId id : ids) text += (text.empty() ? "" : ", ") + name_of(graph, id);
  return text;
}

/// "f32[1, 64, 56, 56]", "f32[1, 64, 56, 56] as ABCD16b".
std::string type_of(Value const& value) {
  std::string text = to_text(value.type);
  return value.layout.is_plain() ? text : text + " as " + to_text(value.layout);
}

std::string value_line(char const* what, Graph const& graph, ValueId id) {
  Value const& value = graph.value(id);
  std::string line = fmt::format("  {} '{}': {}", what, value.name, type_of(value));
  if (value.is_constant()) line += fmt::format(" #{:016x}", value.constant.hash());
  return line + "\n";
}

/// "conv", "conv by im2col", "opaque 'Name'".
std::string operator_of(Node const& node) {
  if (node.is_opaque()) return "opaque '" + node.type + "'";
  return node.algorithm.empty() ? node.type : node.type + " by " + node.algorithm;
}

std::string node_line(Graph const& graph, Node const& node) {
  std::string types;
  for (ValueId output : node.outputs)
    if (output.valid()) types += (types.empty() ? "" : ", ") + type_of(graph.value(output));
  std::string attributes = to_text(node.attributes);
  std::string line = fmt::format("  {} = {}({}){}: {}", names(graph, node.outputs),
                                 operator_of(node), names(graph, node.inputs),
                                 attributes.empty() ? "" : " {" + attributes + "}", types);
  if (!node.reason.empty()) line += "  # " + node.reason;
  return line + "\n";
}

std::string lines_of(Graph const& graph, std::string const& indent);

std::string body_lines(Node const& node, std::string const& indent) {
  std::string text;
  for (size_t i = 0; i < node.sub_graphs.size(); ++i)
    text += fmt::format("{}  {} '{}'\n{}", indent, body_name(node, i), node.sub_graphs[i]->name,
                        lines_of(*node.sub_graphs[i], indent + "  "));
  return text;
}

/// Every line behind the indent.
std::string lines_of(Graph const& graph, std::string const& indent) {
  std::string text;
  for (ValueId id : graph.inputs) text += indent + value_line("input", graph, id);
  std::set<ValueId> shown(graph.inputs.begin(), graph.inputs.end());
  for (Node const& node : graph.nodes)
    for (ValueId id : node.inputs)
      if (id.valid() && graph.value(id).is_constant() && shown.insert(id).second)
        text += indent + value_line("constant", graph, id);
  for (Node const& node : graph.nodes)
    text += indent + node_line(graph, node) + body_lines(node, indent + "  ");
  for (ValueId id : graph.outputs) text += indent + value_line("output", graph, id);
  for (std::string const& choice : graph.choices) text += indent + "  # " + choice + "\n";
  for (size_t i = 0; i < graph.groups.size(); ++i) {
    text += fmt::format("{}  group {} {}:", indent, i, to_text(graph.groups[i].fusion));
    for (NodeId id : graph.groups[i].nodes) text += " '" + graph.node(id).name + "'";
    text += "\n";
  }
  return text;
}

}  // namespace

std::string to_text(ValueType const& type) {
  constexpr char const* kKinds[] = {"", "sequence ", "optional "};
  std::string text = kKinds[size_t(type.kind)];
  text += type.dtype ? std::string(to_text(*type.dtype)) : "unknown";
  if (!type.dims) return text + "[...]";
  std::string dims;
  for (ir::Expr const& dim : *type.dims)
    dims += (dims.empty() ? "" : ", ") + (dim ? ir::to_text(dim) : "?");
  return text + "[" + dims + "]";
}

std::string to_text(Graph const& graph) {
  return fmt::format("tilewright graph 1\ngraph '{}'\n{}", graph.name, lines_of(graph, ""));
}

}  // namespace tw
