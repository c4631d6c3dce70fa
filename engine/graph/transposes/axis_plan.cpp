#include "engine/graph/transposes/axis_plan.h"

#include <algorithm>

namespace tw {
namespace {

constexpr size_t kMostChanged = 512;     // nodes that change their order together
constexpr int64_t kMostSteps = 300'000;  // changes that are tried for one graph

TransposeCost operator+(TransposeCost a, TransposeCost b) {
  return {a.elements + b.elements, a.transposes + b.transposes};
}
TransposeCost operator-(TransposeCost a, TransposeCost b) {
  return {a.elements - b.elements, a.transposes - b.transposes};
}

/// The order of a transpose of a plain tensor with so many axes; empty: it is no such node.
std::optional<AxisOrder> transpose_order(Graph const& graph, Node const& node) {
  if (!node.op || node.op->name != "transpose") return std::nullopt;
  Value const &from = graph.value(node.inputs[0]), &to = graph.value(node.outputs[0]);
  if (from.type.kind != ValueKind::kTensor || !from.type.dims || to.is_constant() ||
      !from.layout.is_plain() || !to.layout.is_plain())
    return std::nullopt;
  AxisOrder reversed = spelled_out({}, from.type.dims->size());
  std::ranges::reverse(reversed);
  AxisOrder order = integers(node.attributes, "order", reversed);
  return order.size() == from.type.dims->size() ? std::optional(order) : std::nullopt;
}

}  // namespace

/// Nodes that change together, and what that makes of the cost.
struct AxisPlan::Trial {
  std::vector<std::pair<NodeId, AxisOrder>> before;  ///< of each that changed, in their order
  TransposeCost cost, best;                          ///< against what it was
  size_t best_count = 0;                             ///< of the first changes that make the best

  bool has(NodeId id) const {
    return std::ranges::any_of(before, [&](auto const& each) { return each.first == id; });
  }
};

AxisPlan::AxisPlan(Graph const& graph)
    : graph_(graph), nodes_(graph.nodes.size()), makers_(producers(graph)) {
  find_sources();
  uses_.resize(graph.values.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    NodeId id{int32_t(i)};
    if (nodes_[i].is_transpose) continue;
    nodes_[i].axes = axes_of(graph, graph.node(id));
    std::vector<ValueId> const& inputs = graph.node(id).inputs;
    for (size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k].valid()) uses_[size_t(source(inputs[k]).of.value)].push_back({id, k});
  }
  for (ValueId id : graph.outputs)
    uses_[size_t(source(id).of.value)].push_back({{}, 0, source(id).order});
}

void AxisPlan::find_sources() {
  for (size_t i = 0; i < graph_.values.size(); ++i) sources_.push_back({{int32_t(i)}, {}});
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    Node const& node = graph_.nodes[i];
    auto order = transpose_order(graph_, node);
    if (!order) continue;
    nodes_[i].is_transpose = true;
    TurnedValue const& from = source(node.inputs[0]);
    sources_[size_t(node.outputs[0].value)] = {
        from.of, settled_for(from.of, after(from.order, shortened(*order)))};
  }
}

AxisOrder AxisPlan::settled_for(ValueId id, AxisOrder const& order) const {
  std::optional<Shape> shape = graph_.value(id).shape();
  return shape && !order.empty() ? settled(order, *shape) : order;
}

AxisOrder AxisPlan::read(NodeId id, size_t operand) const {
  TurnedValue const& from = source(graph_.node(id).inputs[operand]);
  PlannedNode const& node = nodes_[size_t(id.value)];
  if (node.order.empty()) return from.order;
  AxisOrder own = order_in(node.axes->inputs[operand], node.order);
  return settled_for(from.of, after(from.order, own));
}

AxisOrder AxisPlan::read(Use const& use) const {
  return use.node.valid() ? read(use.node, use.operand) : use.order;
}

AxisOrder AxisPlan::written(ValueId id) const {
  NodeId maker = makers_[size_t(id.value)];
  if (!maker.valid() || order(maker).empty()) return {};
  return settled_for(id, order_in(axes(maker)->output, order(maker)));
}

bool AxisPlan::takes_either(NodeId id, size_t operand) const {
  Node const& node = graph_.node(id);
  if (!node.op || node.op->name != "gemm" || operand > 1 || !node.algorithm.empty()) return false;
  Value const& value = graph_.value(source(node.inputs[operand]).of);
  return value.type.dims && value.type.dims->size() == 2;
}

/// Constants are turned before anything runs.
TransposeCost AxisPlan::cost_of(ValueId id) const {
  Value const& value = graph_.value(id);
  if (value.is_constant()) return {};
  std::set<AxisOrder> orders;
  for (Use const& use : uses_[size_t(id.value)])
    if (!use.node.valid() || !takes_either(use.node, use.operand)) orders.insert(read(use));
  AxisOrder const own = written(id);
  orders.erase(own);
  TransposeCost cost{0, std::ssize(orders)};
  std::optional<Shape> shape = orders.empty() ? std::nullopt : value.shape();
  if (!shape) return cost;
  std::set<AxisOrder> moved;
  for (AxisOrder const& order : orders) moved.insert(wide_axes(order, *shape));
  moved.erase(wide_axes(own, *shape));
  cost.elements = std::ssize(moved) * element_count(*shape).value_or(0);
  return cost;
}

TransposeCost AxisPlan::first_cost() const {
  TransposeCost cost;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].is_transpose) continue;
    ++cost.transposes;
    ValueId from = graph_.nodes[i].inputs[0];
    std::optional<Shape> shape = graph_.value(from).shape();
    AxisOrder const order = *transpose_order(graph_, graph_.nodes[i]);
    if (shape && wide_axes(order, *shape) != wide_axes({}, *shape))
      cost.elements += element_count(*shape).value_or(0);
  }
  return cost;
}

TransposeCost AxisPlan::cost() const {
  TransposeCost sum;
  for (size_t i = 0; i < graph_.values.size(); ++i) sum = sum + cost_of({int32_t(i)});
  return sum;
}

std::set<ValueId> AxisPlan::values_at(NodeId id) const {
  std::set<ValueId> values;
  for (ValueId input : graph_.node(id).inputs)
    if (input.valid()) values.insert(source(input).of);
  for (ValueId output : graph_.node(id).outputs)
    if (output.valid()) values.insert(output);
  return values;
}

TransposeCost AxisPlan::cost_around(NodeId id) const {
  TransposeCost sum;
  for (ValueId value : values_at(id)) sum = sum + cost_of(value);
  return sum;
}

/// Operands that are broadcast keep their places, or are constants, which get the missing axes.
bool AxisPlan::can_be(NodeId id, AxisOrder const& order) const {
  std::vector<ValueId> const& inputs = graph_.node(id).inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TensorAxes const& tensor = axes(id)->inputs[i];
    if (tensor.is_aligned && !keeps_alignment(tensor, order) &&
        !graph_.value(source(inputs[i]).of).is_constant())
      return false;
  }
  return true;
}

/// The order in which the node of the use reads so; empty: its axes stay.
std::optional<AxisPlan::Wish> AxisPlan::wish_to_read(Use const& use,
                                                     AxisOrder const& wanted) const {
  if (!use.node.valid() || !axes(use.node)) return std::nullopt;
  TensorAxes const& tensor = axes(use.node)->inputs[use.operand];
  if (tensor.is_fixed) return std::nullopt;
  AxisOrder const& from = source(graph_.node(use.node).inputs[use.operand]).order;
  Wish wish{use.node, order_for(*axes(use.node), tensor, after(inverse(from), wanted))};
  return can_be(wish.node, wish.order) ? std::optional(wish) : std::nullopt;
}

std::optional<AxisPlan::Wish> AxisPlan::wish_to_write(ValueId id, AxisOrder const& wanted) const {
  NodeId maker = makers_[size_t(id.value)];
  if (!maker.valid() || !axes(maker)) return std::nullopt;
  Wish wish{maker, order_for(*axes(maker), axes(maker)->output, wanted)};
  return can_be(wish.node, wish.order) ? std::optional(wish) : std::nullopt;
}

/// What would make the value be read as it is written.
std::vector<AxisPlan::Wish> AxisPlan::wishes_at(ValueId id) const {
  std::vector<Wish> wishes;
  if (graph_.value(id).is_constant()) return wishes;
  AxisOrder const own = written(id);
  auto add = [&](std::optional<Wish> wish) {
    if (wish && wish->order != order(wish->node)) wishes.push_back(*std::move(wish));
  };
  for (Use const& use : uses_[size_t(id.value)]) {
    AxisOrder const wanted = read(use);
    if (wanted == own || (use.node.valid() && takes_either(use.node, use.operand))) continue;
    add(wish_to_read(use, own));
    add(wish_to_write(id, wanted));
  }
  return wishes;
}

void AxisPlan::change(Trial& trial, Wish const& wish) {
  AxisOrder& order = nodes_[size_t(wish.node.value)].order;
  TransposeCost before = cost_around(wish.node);
  trial.before.push_back({wish.node, order});
  order = wish.order;
  trial.cost = trial.cost + cost_around(wish.node) - before;
  ++steps_;
}

/// Of the open wishes that still say something, the one that costs least is taken out.
std::optional<AxisPlan::Wish> AxisPlan::cheapest(std::vector<Wish>& open, Trial const& trial) {
  std::erase_if(open, [&](Wish const& wish) {
    return trial.has(wish.node) || wish.order == order(wish.node);
  });
  auto next = open.end();
  TransposeCost least;
  for (auto wish = open.begin(); wish != open.end(); ++wish) {
    Trial one;
    change(one, *wish);
    nodes_[size_t(wish->node.value)].order = one.before[0].second;
    if (next == open.end() || one.cost < least) next = wish, least = one.cost;
  }
  if (next == open.end()) return std::nullopt;
  Wish taken = std::move(*next);
  open.erase(next);
  return taken;
}

/// Goes on from one node to its neighbours, always to the one that costs least, and comes back to
/// where the cost was least on the way. False: nothing became less.
bool AxisPlan::try_from(Wish const& first) {
  Trial trial;
  std::vector<Wish> open;
  for (std::optional<Wish> next = first; next; next = cheapest(open, trial)) {
    change(trial, *next);
    if (trial.cost < trial.best) trial.best = trial.cost, trial.best_count = trial.before.size();
    if (trial.before.size() >= kMostChanged || steps_ > kMostSteps) break;
    for (ValueId value : values_at(next->node))
      std::ranges::move(wishes_at(value), std::back_inserter(open));
  }
  for (size_t i = trial.before.size(); i > trial.best_count; --i)
    nodes_[size_t(trial.before[i - 1].first.value)].order = trial.before[i - 1].second;
  return trial.best_count > 0;
}

void AxisPlan::improve() {
  for (bool better = true; better && steps_ <= kMostSteps;) {
    better = false;
    for (size_t i = 0; i < graph_.values.size(); ++i)
      for (Wish const& wish : wishes_at({int32_t(i)}))
        if (wish.order != order(wish.node) && try_from(wish)) better = true;
  }
}

}  // namespace tw
