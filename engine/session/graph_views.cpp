#include "engine/session/graph_views.h"

#include <fmt/format.h>

#include <map>

#include "engine/ir/text.h"

namespace tw::session {
namespace {

PatternClass pattern_of(Node const& node) {
  if (!node.op) return PatternClass::kOpaque;
  switch (node.op->fusion) {
    case Fusion::kInjective:
      return PatternClass::kInjective;
    case Fusion::kReduction:
      return PatternClass::kReduction;
    case Fusion::kComplexOutFusable:
      return PatternClass::kComplex;
    default:
      return PatternClass::kOpaque;
  }
}

int64_t bytes_of(Value const& value) {
  auto shape = value.shape();
  if (!shape || !value.type.dtype) return 0;
  return element_count(*shape).value_or(0) * size_of(*value.type.dtype);
}

}  // namespace

std::string shape_text(ValueType const& type) {
  if (!type.dims) return "?";
  std::string text;
  for (size_t i = 0; i < type.dims->size(); ++i) {
    ir::Expr const& extent = (*type.dims)[i];
    if (i == 0 && type.dims->size() > 1 && extent && ir::is_int(extent, 1)) continue;
    text += (text.empty() ? "" : "x") + (extent ? ir::to_text(extent) : "?");
  }
  return text.empty() ? "scalar" : text;
}

std::vector<GraphNodeView> node_views(Graph const& graph) {
  std::vector<GraphNodeView> views;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node const& node = graph.nodes[i];
    GraphNodeView view;
    view.id = int(i);
    view.name = node.name;
    view.op = node.op ? title_of(graph, node) : node.type;
    view.detail = node.op ? detail_of(node) : "";
    view.pattern = pattern_of(node);
    view.reason = node.reason;
    if (!node.outputs.empty() && node.outputs[0].valid())
      view.shape = shape_text(graph.value(node.outputs[0]).type);
    views.push_back(std::move(view));
  }
  for (size_t g = 0; g < graph.groups.size(); ++g)
    for (NodeId id : graph.groups[g].nodes) views[size_t(id.value)].group = int(g);
  return views;
}

std::vector<GraphEdgeView> edge_views(Graph const& graph) {
  std::map<std::tuple<int, int, int>, EdgeDecision const*> decisions;
  for (EdgeDecision const& decision : graph.decisions)
    decisions[{decision.from.value, decision.to.value, decision.value.value}] = &decision;
  std::vector<NodeId> makers = producers(graph);
  std::vector<GraphEdgeView> views;
  auto add = [&](int from, int to, ValueId id) {
    Value const& value = graph.value(id);
    GraphEdgeView view{from,  to, value.name, shape_text(value.type), bytes_of(value),
                       false, "", ""};
    if (auto found = decisions.find({from, to, id.value}); found != decisions.end()) {
      view.fused = found->second->fused;
      view.rule = found->second->rule;
      view.reason = found->second->reason;
    }
    views.push_back(std::move(view));
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (ValueId id : graph.nodes[i].inputs)
      if (id.valid() && !graph.value(id).is_constant())
        add(makers[size_t(id.value)].value, int(i), id);
  for (ValueId id : graph.outputs)
    if (id.valid()) add(makers[size_t(id.value)].value, -1, id);
  return views;
}

}  // namespace tw::session
