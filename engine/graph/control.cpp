#include "engine/graph/control.h"

#include <fmt/format.h>

#include <map>

#include "engine/ir/rewrite.h"

namespace tw {

ControlOperator const* find_control(std::string_view name) {
  for (ControlOperator const* op : control_table())
    if (op->name == name) return op;
  return nullptr;
}

std::string body_name(Node const& node, size_t body) {
  return node.control && body < node.control->bodies.size() ? node.control->bodies[body] : "body";
}

std::vector<Value> operands_of(Graph const& graph, Node const& node) {
  std::vector<Value> operands;
  for (size_t i = 0; i < operand_count(node); ++i)
    operands.push_back(node.inputs[i].valid() ? graph.value(node.inputs[i]) : Value());
  return operands;
}

void for_each_node(Graph const& graph, std::function<void(Node const&)> const& f) {
  for (Node const& node : graph.nodes) {
    f(node);
    for (auto const& body : node.sub_graphs) for_each_node(*body, f);
  }
}

bool equal(ValueType const& a, ValueType const& b) {
  if (a.kind != b.kind || a.dtype != b.dtype || bool(a.dims) != bool(b.dims)) return false;
  if (!a.dims) return true;
  if (a.dims->size() != b.dims->size()) return false;
  for (size_t i = 0; i < a.dims->size(); ++i) {
    ir::Expr const &x = (*a.dims)[i], &y = (*b.dims)[i];
    if (bool(x) != bool(y) || (x && !ir::equal(x, y))) return false;
  }
  return true;
}

ValueType common_type(ValueType const& a, ValueType const& b) {
  ValueType type = a;
  if (!a.dtype) type.dtype = b.dtype;
  if (a.dtype && b.dtype && a.dtype != b.dtype) type.dtype.reset();
  if (!a.dims || !b.dims || a.dims->size() != b.dims->size()) {
    type.dims.reset();
    return type;
  }
  for (size_t i = 0; i < type.dims->size(); ++i) {
    ir::Expr const& other = (*b.dims)[i];
    ir::Expr& extent = (*type.dims)[i];
    if (!extent || !other || !ir::equal(extent, other)) extent = {};
  }
  return type;
}

Status check_body_inputs(Graph const& body, size_t given) {
  // What nothing can run says so in better words than a count of what it does not take.
  for (Node const& node : body.nodes)
    if (node.is_opaque()) return refused("opaque_node", node.reason, {{}, 0, 0, node.name});
  if (given == body.inputs.size()) return {};
  return bad_input("wrong_inputs", fmt::format("its graph takes {} values, but {} were given",
                                               body.inputs.size(), given));
}

Result<std::vector<NDArray>> run_control(Graph const& graph, Node const& node,
                                         std::vector<NDArray> const& operands,
                                         RunBody const& run_body, ControlLimits const& limits) {
  std::vector<NDArray> own(operands.begin(), operands.begin() + int64_t(operand_count(node)));
  std::vector<ValueType> types;
  for (ValueId id : node.outputs) types.push_back(id.valid() ? graph.value(id).type : ValueType());
  auto result = node.control->run({node.attributes, std::move(own), types, run_body, limits});
  if (result && result->size() >= node.outputs.size()) return result;
  Error error = result ? bad_input("wrong_outputs",
                                   fmt::format("it gives {} values, but the node has {} outputs",
                                               result->size(), node.outputs.size()))
                             .error()
                       : result.error();
  if (error.place.node.empty()) error.place.node = node.name;
  return std::unexpected(std::move(error));
}

namespace {

std::string unique(std::string const& wish, std::set<std::string>& taken) {
  std::string name = wish;
  for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{} ({})", wish, i);
  return name;
}

Node copy_of(ValueId from, ValueId to, Splice const& what, Graph const& graph) {
  Node node;
  node.name = graph.value(to).name;
  node.op = find_operator("identity");
  node.type = "identity";
  node.inputs = {from};
  node.outputs = {to};
  node.origins = what.origins;
  return node;
}

}  // namespace

std::vector<Node> splice(Graph& graph, Splice const& what, std::set<std::string>& taken) {
  Graph const& body = what.body;
  std::map<ValueId, ValueId> place;
  for (size_t i = 0; i < body.inputs.size(); ++i) place[body.inputs[i]] = what.inputs[i];
  std::vector<std::pair<ValueId, ValueId>> copies;
  for (size_t i = 0; i < what.outputs.size(); ++i) {
    ValueId from = body.outputs[i], to = what.outputs[i];
    if (!to.valid()) continue;
    graph.value(to).type = body.value(from).type;
    graph.value(to).constant = body.value(from).constant;
    graph.value(to).layout = body.value(from).layout;
    if (!body.value(from).is_constant() && !place.emplace(from, to).second)
      copies.push_back({place[from], to});
  }
  for (size_t i = 0; i < body.values.size(); ++i) {
    ValueId id{int32_t(i)};
    if (place.contains(id)) continue;
    Value value = body.value(id);
    value.name = unique(value.name, taken);
    place[id] = graph.add_value(std::move(value));
  }
  std::vector<Node> nodes;
  for (Node node : body.nodes) {
    for (auto* list : {&node.inputs, &node.outputs})
      for (ValueId& id : *list)
        if (id.valid()) id = place[id];
    node.origins.insert(node.origins.end(), what.origins.begin(), what.origins.end());
    nodes.push_back(std::move(node));
  }
  for (auto const& [from, to] : copies) nodes.push_back(copy_of(from, to, what, graph));
  return nodes;
}

}  // namespace tw
