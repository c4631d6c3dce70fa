#include "engine/graph/reference.h"

#include <fmt/format.h>

#include "engine/graph/control.h"
#include "engine/graph/dynamic_node.h"
#include "engine/graph/inference.h"
#include "engine/graph/rounding.h"

namespace tw {
namespace {

Place at(Node const& node) { return {{}, 0, 0, node.name}; }

std::unexpected<Error> placed(Error error, Node const& node) {
  error.place = at(node);
  return std::unexpected(std::move(error));
}

/// What the node makes; the operands are looked at again, because they may have other shapes than
/// the model declares.
Result<std::vector<TensorInfo>> check_sizes(Graph const& graph, Node const& node,
                                            std::vector<NDArray> const& operands,
                                            int64_t max_bytes) {
  std::vector<TensorInfo> infos;
  for (NDArray const& operand : operands)
    infos.push_back({operand.type(), operand.shape(), operand});
  std::vector<TensorInfo const*> pointers;
  for (size_t i = 0; i < infos.size(); ++i)
    pointers.push_back(operands[i].empty() ? nullptr : &infos[i]);
  TRY_ASSIGN(std::vector<TensorInfo> outputs, infer_node(graph, node, pointers));
  for (TensorInfo const& output : outputs) {
    auto count = element_count(output.shape);
    if (!count) return placed(count.error(), node);
    if (*count > max_bytes / size_of(output.type))
      return bad_input("tensor_too_large",
                       fmt::format("its result of shape {} would take more than {} MiB",
                                   to_text(output.shape), max_bytes >> 20),
                       at(node));
  }
  return outputs;
}

Result<std::vector<NDArray>> run_values(Graph const& graph, std::vector<NDArray> const& inputs,
                                        ReferenceOptions const& options);

Result<std::vector<NDArray>> run_bodies(Graph const& graph, Node const& node,
                                        std::vector<NDArray> const& operands,
                                        ReferenceOptions options) {
  options.progress = {};
  options.observe = {};
  auto run_body = [&](size_t body, std::vector<NDArray> const& given) {
    std::vector<NDArray> inputs = given;
    inputs.insert(inputs.end(), operands.begin() + int64_t(operand_count(node)), operands.end());
    Graph const& graph_of_body = *node.sub_graphs[body];
    if (Status fits = check_body_inputs(graph_of_body, inputs.size()); !fits)
      return Result<std::vector<NDArray>>(std::unexpected(fits.error()));
    return run_values(graph_of_body, inputs, options);
  };
  return run_control(graph, node, operands, run_body, {options.max_bytes, options.stop});
}

Result<std::vector<NDArray>> run_dynamic(Graph const& graph, Node const& node,
                                         std::vector<NDArray> const& operands,
                                         ReferenceOptions const& options) {
  auto calls = node.dynamic->convert(operands);
  if (!calls) return placed(calls.error(), node);
  std::vector<NDArray> results;
  for (DynamicCall& call : *calls) {
    std::vector<NDArray> taken;
    for (std::optional<size_t> place : call.operands)
      taken.push_back(place ? operands[*place] : NDArray());
    call.node.name = node.name;
    call.node.inputs.resize(taken.size());
    TRY_ASSIGN(std::vector<NDArray> made, run_node(graph, call.node, taken, options));
    results.insert(results.end(), made.begin(), made.end());
  }
  for (size_t i = results.size(); i < node.outputs.size(); ++i)
    if (node.outputs[i].valid())
      return refused("unsupported", fmt::format("its output {} is not supported", i + 1), at(node));
  return results;
}

std::string input_text(Value const& value) {
  return fmt::format("'{}' ({})", value.name, to_text(value.type));
}

Result<std::vector<NDArray>> run_values(Graph const& graph, std::vector<NDArray> const& inputs,
                                        ReferenceOptions const& options) {
  std::vector<NDArray> values(graph.values.size());
  std::vector<int> uses(graph.values.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = graph.values[i].constant;
  for (size_t i = 0; i < inputs.size(); ++i) values[size_t(graph.inputs[i].value)] = inputs[i];
  for (ValueId id : graph.outputs) ++uses[size_t(id.value)];
  for (Node const& node : graph.nodes)
    for (ValueId id : node.inputs)
      if (id.valid()) ++uses[size_t(id.value)];
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node const& node = graph.nodes[i];
    if (options.stop.stop_requested())
      return environment_failed("cancelled", "the reference run was cancelled");
    if (options.progress) options.progress({node.name, int64_t(i), int64_t(graph.nodes.size())});
    std::vector<NDArray> operands;
    for (ValueId id : node.inputs)
      operands.push_back(id.valid() ? values[size_t(id.value)] : NDArray());
    TRY_ASSIGN(std::vector<NDArray> results, run_node(graph, node, operands, options));
    for (size_t k = 0; k < node.outputs.size() && k < results.size(); ++k)
      if (node.outputs[k].valid()) {
        values[size_t(node.outputs[k].value)] = results[k];
        if (options.observe) options.observe(node.outputs[k], results[k]);
      }
    for (ValueId id : node.inputs)  // what nobody reads any more is given back
      if (id.valid() && --uses[size_t(id.value)] == 0) values[size_t(id.value)] = {};
  }
  std::vector<NDArray> outputs;
  for (ValueId id : graph.outputs) outputs.push_back(values[size_t(id.value)]);
  return outputs;
}

/// Elements as they are stored, in the order that the references know.
Status make_plain(Graph const& graph, Node const& node, std::vector<NDArray>& operands) {
  for (size_t i = 0; i < operands.size() && i < node.inputs.size(); ++i) {
    if (!node.inputs[i].valid() || operands[i].empty()) continue;
    Value const& value = graph.value(node.inputs[i]);
    if (value.layout.is_plain()) continue;
    TRY_ASSIGN(operands[i],
               from_layout(operands[i], value.layout, value.shape().value_or(Shape{})));
  }
  return {};
}

Status store(Graph const& graph, Node const& node, std::vector<NDArray>& results) {
  for (size_t i = 0; i < results.size() && i < node.outputs.size(); ++i) {
    if (!node.outputs[i].valid()) continue;
    TRY_ASSIGN(results[i], to_layout(results[i], graph.value(node.outputs[i]).layout));
  }
  return {};
}

}  // namespace

Result<std::vector<NDArray>> run_node(Graph const& graph, Node const& node,
                                      std::vector<NDArray> const& operands,
                                      ReferenceOptions const& options) {
  if (node.is_opaque()) return refused("opaque_node", node.reason, at(node));
  std::vector<NDArray> all = operands;
  if (all.empty())
    for (ValueId id : node.inputs) all.push_back(id.valid() ? graph.value(id).constant : NDArray());
  if (node.control) return run_bodies(graph, node, all, options);
  if (node.dynamic) return run_dynamic(graph, node, all, options);
  TRY(make_plain(graph, node, all));
  TRY_ASSIGN(std::vector<TensorInfo> outputs, check_sizes(graph, node, all, options.max_bytes));
  auto result = reference_rounding_once(*node.op, node.attributes, all, outputs);
  if (!result) return placed(result.error(), node);
  TRY(store(graph, node, *result));
  return result;
}

Status check_inputs(Graph const& graph, std::vector<NDArray> const& inputs) {
  if (inputs.size() < graph.inputs.size())
    return bad_input("missing_input",
                     fmt::format("the input {} is missing",
                                 input_text(graph.value(graph.inputs[inputs.size()]))));
  if (inputs.size() > graph.inputs.size())
    return bad_input("wrong_input", fmt::format("{} inputs were given, but the model has {}",
                                                inputs.size(), graph.inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    Value const& value = graph.value(graph.inputs[i]);
    NDArray const& input = inputs[i];
    auto shape = value.shape();
    bool fits = !input.empty() && (!value.type.dtype || *value.type.dtype == input.type()) &&
                (!shape || *shape == input.shape());
    if (!fits)
      return bad_input("wrong_input",
                       fmt::format("the input {} was given {}[{}]", input_text(value),
                                   to_text(input.type()), to_text(input.shape())));
  }
  return {};
}

Result<std::vector<NDArray>> reference_run(Graph const& graph, std::vector<NDArray> const& inputs,
                                           ReferenceOptions const& options) {
  TRY(check_inputs(graph, inputs));
  return run_values(graph, inputs, options);
}

}  // namespace tw
