#include "engine/session/views/graph_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/ir/text.h"

namespace tw::session {

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
  return element_count(value.layout.stored(*shape)).value_or(0) * size_of(*value.type.dtype);
}

namespace {

using Placed = PlacedGraph;

void place(Graph const& graph, Placed self, std::vector<Placed>& all) {
  self.graph = &graph;
  if (!all.empty()) {
    self.first_node = all.back().first_node + int(all.back().graph->nodes.size());
    self.first_group = all.back().first_group + int(all.back().graph->groups.size());
  }
  int index = int(all.size());
  all.push_back(self);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node const& node = graph.nodes[i];
    for (size_t b = 0; b < node.sub_graphs.size(); ++b) {
      Placed inside{nullptr, index, {int32_t(i)}, b, 0, 0, {}};
      inside.prefix = fmt::format("{}{}/{}/", self.prefix, node.name, body_name(node, b));
      place(*node.sub_graphs[b], inside, all);
    }
  }
}

}  // namespace

std::vector<PlacedGraph> placed_graphs(Graph const& graph) {
  std::vector<PlacedGraph> all;
  place(graph, {}, all);
  return all;
}

namespace {

void add_nodes(Placed const& placed, std::vector<GraphNodeView>& views) {
  Graph const& graph = *placed.graph;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node const& node = graph.nodes[i];
    GraphNodeView view;
    view.id = placed.first_node + int(i);
    view.name = placed.prefix + node.name;
    view.op = node.op ? title_of(graph, node) : node.type;
    view.detail = node.op ? detail_of(node) : "";
    view.pattern = pattern_of(node);
    view.reason = node.reason;
    if (!node.outputs.empty() && node.outputs[0].valid())
      view.shape = shape_text(graph.value(node.outputs[0]));
    views.push_back(std::move(view));
  }
  for (size_t g = 0; g < graph.groups.size(); ++g)
    for (NodeId id : graph.groups[g].nodes)
      views[size_t(placed.first_node + id.value)].group = placed.first_group + int(g);
}

/// Edges of all graphs, in the numbers of the whole.
class Edges {
public:
  explicit Edges(std::vector<Placed> const& all) : all_(all) {
    for (Placed const& placed : all) makers_.push_back(producers(*placed.graph));
  }

  std::vector<GraphEdgeView> run() {
    for (size_t g = 0; g < all_.size(); ++g) add_graph(int(g));
    return std::move(views_);
  }

private:
  using Decisions = std::map<std::tuple<int, int, int>, EdgeDecision const*>;

  void add_graph(int index) {
    Graph const& graph = *all_[size_t(index)].graph;
    int first = all_[size_t(index)].first_node;
    Decisions decisions;
    for (EdgeDecision const& decision : graph.decisions)
      decisions[{decision.from.value + first, decision.to.value + first, decision.value.value}] =
          &decision;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      Node const& node = graph.nodes[i];
      // What a node's graphs read leads into these.
      for (size_t k = 0; k < operand_count(node); ++k)
        if (ValueId id = node.inputs[k]; id.valid() && !graph.value(id).is_constant())
          add(graph, decisions, maker(index, id), first + int(i), id);
    }
    Placed const& self = all_[size_t(index)];
    int reader = self.parent < 0 ? -1 : all_[size_t(self.parent)].first_node + self.owner.value;
    for (ValueId id : graph.outputs)
      if (id.valid() && (self.parent < 0 || !graph.value(id).is_constant()))
        add(graph, decisions, maker(index, id), reader, id);
  }

  /// The node that makes the value, in whatever graph; -1: an input of the model.
  int maker(int index, ValueId id) const {
    Placed const& placed = all_[size_t(index)];
    if (NodeId node = makers_[size_t(index)][size_t(id.value)]; node.valid())
      return placed.first_node + node.value;
    if (placed.parent < 0) return -1;
    auto input = std::ranges::find(placed.graph->inputs, id);
    Node const& owner = all_[size_t(placed.parent)].graph->node(placed.owner);
    size_t place = size_t(input - placed.graph->inputs.begin());
    size_t own = placed.graph->inputs.size() - size_t(owner.captured);
    if (input == placed.graph->inputs.end()) return -1;
    if (place >= own) place = operand_count(owner) + (place - own);
    if (place >= owner.inputs.size() || !owner.inputs[place].valid()) return -1;
    return maker(placed.parent, owner.inputs[place]);
  }

  void add(Graph const& graph, Decisions const& decisions, int from, int to, ValueId id) {
    Value const& value = graph.value(id);
    GraphEdgeView view{from, to, value.name, shape_text(value), bytes_of(value), false, "", ""};
    if (auto found = decisions.find({from, to, id.value}); found != decisions.end()) {
      view.fused = found->second->fused;
      view.rule = found->second->rule;
      view.reason = found->second->reason;
    }
    views_.push_back(std::move(view));
  }

  std::vector<Placed> const& all_;
  std::vector<std::vector<NodeId>> makers_;
  std::vector<GraphEdgeView> views_;
};

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

std::string shape_text(Value const& value) {
  std::string text = shape_text(value.type);
  return value.layout.is_plain() ? text : text + " " + to_text(value.layout);
}

GraphParts graph_parts(Graph const& graph) {
  std::vector<Placed> all = placed_graphs(graph);
  GraphParts parts;
  for (Placed const& placed : all) add_nodes(placed, parts.nodes);
  parts.edges = Edges(all).run();
  return parts;
}

namespace {

/// The plan of each graph, in their order. A node that nothing can run has graphs without a plan:
/// an empty one.
std::vector<BodyPlan const*> plans_of(std::vector<Placed> const& all, Plan const& plan) {
  static BodyPlan const nothing;
  std::vector<BodyPlan const*> plans;
  std::map<std::pair<int, NodeId>, PlanStep const*> owners;  // steps with graphs of their own
  for (size_t i = 0; i < all.size(); ++i) {
    Placed const& placed = all[i];
    BodyPlan const* own = placed.parent < 0 ? &plan : &nothing;
    if (auto step = owners.find({placed.parent, placed.owner}); step != owners.end())
      own = &step->second->bodies[placed.body];
    plans.push_back(own);
    for (PlanStep const& step : own->steps)
      if (!step.bodies.empty())
        owners[{int(i), placed.graph->groups[size_t(step.group)].nodes.back()}] = &step;
  }
  return plans;
}

/// For each graph the group of the model's own graph that it runs in; -1: the model's own.
std::vector<int> outer_groups(std::vector<Placed> const& all) {
  std::vector<int> outer = {-1};
  for (size_t i = 1; i < all.size(); ++i) {
    Graph const& parent = *all[size_t(all[i].parent)].graph;
    int group = outer[size_t(all[i].parent)];
    for (size_t g = 0; group < 0 && g < parent.groups.size(); ++g)
      if (std::ranges::find(parent.groups[g].nodes, all[i].owner) != parent.groups[g].nodes.end())
        group = int(g);
    outer.push_back(group);
  }
  return outer;
}

}  // namespace

std::vector<GraphGroupView> group_views(Graph const& graph, Plan const& plan) {
  std::vector<Placed> all = placed_graphs(graph);
  std::vector<BodyPlan const*> plans = plans_of(all, plan);
  std::vector<int> outer = outer_groups(all);
  std::vector<GraphGroupView> views;
  double total = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    Placed const& placed = all[i];
    for (PlanStep const& step : plans[i]->steps) {
      Group const& group = placed.graph->groups[size_t(step.group)];
      GraphGroupView view{placed.first_group + step.group, step.kernel, "", {}, 0, outer[i]};
      for (NodeId id : group.nodes) view.nodes.push_back(placed.first_node + id.value);
      view.name = step.kernel >= 0 ? plan.kernels[size_t(step.kernel)].name
                                   : placed.prefix + placed.graph->node(group.anchor).name;
      if (step.kernel >= 0) total += double(plan.kernels[size_t(step.kernel)].flops);
      views.push_back(std::move(view));
    }
  }
  for (GraphGroupView& view : views)
    if (view.kernel >= 0 && total > 0)
      view.time_share = double(plan.kernels[size_t(view.kernel)].flops) / total;
  return views;
}

}  // namespace tw::session
