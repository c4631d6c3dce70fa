#include "engine/importers/bodies.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw {
namespace {

constexpr int kMostWidenings = 4;  // of the types that a loop carries

/// A file that makes no sense, whatever would run of it.
bool is_malformed(Error const& error) {
  return error.code == "undefined_value" || error.code == "duplicate_value" ||
         error.code == "nested_too_deep" || error.code == "cyclic_graph";
}

/// The operator of the node that an error names; "graph" where it names none of this graph's.
std::string type_of(ForeignGraph const& source, std::string const& name) {
  auto node = std::ranges::find_if(source.nodes, [&](ForeignNode const& each) {
    return each.name == name || std::ranges::count(each.outputs, name) > 0;  // it may have no name
  });
  return node == source.nodes.end() ? "graph" : node->op_type;
}

Body failed_body(ForeignGraph const& source, Error const& error) {
  Body body{{}, {}, to_sentence(error)};
  body.graph.name = source.name;
  Node node;
  node.name = error.place.node.empty() ? source.name : error.place.node;
  node.type = type_of(source, node.name);
  node.reason = error.message;
  for (ForeignValue const& output : source.outputs) {
    node.outputs.push_back(body.graph.add_value({output.name, {}, {}}));
    body.graph.outputs.push_back(node.outputs.back());
  }
  body.graph.nodes.push_back(std::move(node));
  return body;
}

std::vector<Value> outputs_of(Graph const& graph) {
  std::vector<Value> outputs;
  for (ValueId id : graph.outputs) outputs.push_back(id.valid() ? graph.value(id) : Value());
  return outputs;
}

/// A body with a node that nothing can run gives no value, so it says nothing of their types.
bool can_end(Body const& body) {
  return std::ranges::none_of(body.graph.nodes, [](Node const& node) { return node.is_opaque(); });
}

/// What a body carries into its next run has to be what it takes; true: types became wider.
bool widen(std::vector<std::pair<size_t, size_t>> const& carried, std::vector<Value> const& outputs,
           std::vector<Value>& inputs, bool open) {
  bool changed = false;
  for (auto const& [from, to] : carried) {
    if (from >= outputs.size() || to >= inputs.size()) continue;
    ValueType wider = common_type(inputs[to].type, outputs[from].type);
    if (equal(wider, inputs[to].type)) continue;
    if (open) wider.dims.reset();
    inputs[to].type = wider;
    changed = true;
  }
  return changed;
}

}  // namespace

ForeignBody body_of(ForeignNode const& node, std::string const& attribute) {
  auto found = node.attributes.find(attribute);
  auto const* body =
      found == node.attributes.end() ? nullptr : std::get_if<ForeignBody>(&found->second);
  return body ? *body : nullptr;
}

std::vector<std::string> made_outputs(std::set<std::string> const& read, ForeignNode const& node,
                                      std::string const& name, size_t count) {
  std::vector<std::string> made = node.outputs;
  made.resize(std::min(made.size(), count));
  if (made[0].empty()) made[0] = name + " (not read)";
  for (size_t i = 1; i < made.size(); ++i)
    if (!read.contains(made[i])) made[i].clear();
  return made;
}

Result<Body> try_body(ForeignGraph const& source, std::vector<Value> const* given,
                      BuildBody const& build) {
  Result<Body> body = build(source, given);
  if (!body && !is_malformed(body.error())) return failed_body(source, body.error());
  return body;
}

Result<ControlBodies> build_bodies(Node const& node, std::vector<Value> const& operands,
                                   std::vector<ForeignBody> const& sources,
                                   BuildBody const& build) {
  ControlOperator const& control = *node.control;
  TRY_ASSIGN(std::vector<Value> inputs, control.body_inputs(node.attributes, operands));
  ControlBodies made;
  for (int round = 0;; ++round) {
    made.bodies.clear();
    for (ForeignBody const& source : sources) {
      TRY_ASSIGN(Body body, try_body(*source, &inputs, build));
      made.bodies.push_back(std::move(body));
    }
    if (!control.carried || !can_end(made.bodies[0])) break;
    if (!widen(control.carried(node.attributes, operands), outputs_of(made.bodies[0].graph), inputs,
               round == kMostWidenings))
      break;
  }
  std::vector<std::vector<Value>> outputs;
  for (size_t i = 0; i < made.bodies.size(); ++i) {
    Body& body = made.bodies[i];
    if (can_end(body)) outputs.push_back(outputs_of(body.graph));
    if (!body.failure.empty())
      body.graph.notes.push_back(fmt::format("'{}' of node '{}' cannot be run: {}",
                                             body_name(node, i), node.name, body.failure));
  }
  if (outputs.empty()) outputs.push_back(outputs_of(made.bodies[0].graph));
  TRY_ASSIGN(made.outputs, control.outputs(node.attributes, operands, outputs));
  return made;
}

void own_bodies(Graph& graph, Node& node, std::vector<Body> bodies) {
  std::vector<ValueId> all;
  for (Body const& body : bodies)
    for (ValueId id : body.captured)
      if (std::ranges::find(all, id) == all.end()) all.push_back(id);
  for (Body& body : bodies) {
    std::vector<ValueId> inputs = body.graph.inputs;
    size_t own = inputs.size() - body.captured.size();
    body.graph.inputs.resize(own);
    for (ValueId id : all) {
      auto found = std::ranges::find(body.captured, id);
      bool is_read = found != body.captured.end();
      body.graph.inputs.push_back(is_read ? inputs[own + size_t(found - body.captured.begin())]
                                          : body.graph.add_value(graph.value(id)));
    }
    graph.notes.insert(graph.notes.end(), body.graph.notes.begin(), body.graph.notes.end());
    node.sub_graphs.push_back(std::make_shared<Graph const>(std::move(body.graph)));
  }
  node.inputs.insert(node.inputs.end(), all.begin(), all.end());
  node.captured = int(all.size());
}

}  // namespace tw
