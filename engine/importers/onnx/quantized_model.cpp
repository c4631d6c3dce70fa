#include "engine/importers/onnx/quantized_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>
#include <ranges>
#include <set>

#include "engine/importers/onnx/newer_opset.h"
#include "engine/importers/order.h"

namespace tw {
namespace {

/// "same_upper" as ONNX has it.
std::string in_capitals(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return char(std::toupper(c)); });
  return word;
}

std::map<std::string, ForeignAttribute> window_attributes(Attributes const& ours) {
  std::map<std::string, ForeignAttribute> theirs{{"group", integer(ours, "group", 1)},
                                                 {"kernel_shape", integers(ours, "kernel")}};
  for (char const* name : {"strides", "dilations", "pads"})
    if (has(ours, name)) theirs[name] = integers(ours, name);
  if (std::string same = text(ours, "auto_pad"); !same.empty()) {
    theirs["auto_pad"] = in_capitals(same);
    theirs.erase("pads");
  }
  return theirs;
}

bool has_channel_steps(Graph const& graph, Node const& node) {
  return node.type == "dequantize_linear" &&
         graph.value(node.inputs[1]).constant.shape().size() == 1;
}

class ModelWriter {
public:
  ModelWriter(ImportedModel const& model, Graph const& graph)
      : model_(model), graph_(graph), producers_(producers(graph)) {}

  Result<ImportedModel> run() {
    find_nodes();
    ImportedModel result = model_;
    result.graph.nodes.clear();
    result.graph.initializers.clear();
    for (ForeignValue const& output : model_.graph.outputs) want(output.name);
    while (!wanted_.empty()) {
      std::string name = wanted_.front();
      wanted_.pop_front();
      TRY(add_maker(name, result.graph));
    }
    TRY(sort(result.graph));
    tell_apart(result.graph.nodes);
    // Old files declare their parameters among the inputs.
    std::erase_if(result.graph.inputs, [&](ForeignValue const& input) {
      return model_.graph.initializers.contains(input.name) &&
             !result.graph.initializers.contains(input.name);
    });
    for (ForeignValue& input : result.graph.inputs) keep_shape(input);
    // An intermediate value that is gone needs no declaration.
    std::erase_if(result.graph.values,
                  [&](ForeignValue const& value) { return !seen_.contains(value.name); });
    return result;
  }

private:
  /// Extents that were open and are known now: what was measured was of these.
  void keep_shape(ForeignValue& input) const {
    for (ValueId id : graph_.inputs) {
      auto shape = graph_.value(id).shape();
      if (graph_.value(id).name != input.name || !shape) continue;
      std::vector<ForeignDim> dims(shape->size());
      for (size_t i = 0; i < dims.size(); ++i) dims[i].extent = (*shape)[i];
      input.dims = dims;
    }
  }

  bool is_own(Node const& node) const {
    if (node.type == "quantize_linear" || node.type == "dequantize_linear") return true;
    if (node.type == "add") return reads_added(node, "/half");
    if (node.type == "mul") return reads_added(node, "/factor");
    if (node.type != "conv" && node.type != "gemm" && node.type != "matmul") return false;
    NodeId weights = producers_[size_t(node.inputs[1].value)];
    return weights.valid() && graph_.node(weights).type == "dequantize_linear" &&
           graph_.value(graph_.node(weights).inputs[0]).is_constant();
  }

  /// Whether quantization added the node: by its constant, which the model does not have.
  bool reads_added(Node const& node, char const* constant) const {
    std::string name = name_of(node.inputs[1]);
    bool added = graph_.value(node.inputs[1]).is_constant() && !makers_.contains(name) &&
                 !model_.graph.initializers.contains(name);
    // Where the model had such a name, a number stands behind it.
    size_t number = name.find_last_not_of("0123456789");
    if (number != std::string::npos && name[number] == '_') name.resize(number);
    return added && name.ends_with(constant);
  }

  std::string const& name_of(ValueId id) const {
    static std::string const kAbsent;
    return id.valid() ? graph_.value(id).name : kAbsent;
  }

  /// Which nodes of the graph are written, and which of the model's now make what is quantized.
  void find_nodes() {
    for (size_t i = 0; i < model_.graph.nodes.size(); ++i)
      for (std::string const& output : model_.graph.nodes[i].outputs) makers_[output] = i;
    for (Node const& node : graph_.nodes)
      if (is_own(node))
        for (ValueId output : node.outputs) own_[name_of(output)] = &node;
    for (Value const& value : graph_.values)
      if (value.is_constant()) constants_[value.name] = &value.constant;
    for (Node const& node : graph_.nodes) {
      NodeId bytes =
          node.type == "dequantize_linear" ? producers_[size_t(node.inputs[0].value)] : NodeId();
      if (bytes.valid()) rename(graph_.node(bytes).inputs[0], name_of(node.outputs[0]));
    }
    for (Node const& node : graph_.nodes | std::views::reverse)
      if ((node.type == "add" || node.type == "mul") && is_own(node))
        rename(node.inputs[0], name_of(node.outputs[0]));
  }

  /// What the model calls `name` is now called as `floats` is.
  void rename(ValueId floats, std::string const& name) {
    if (makers_.contains(name_of(floats))) return;
    auto known = makes_floats_.find(name);  // a sum, which changes before it becomes bytes
    makes_floats_[name_of(floats)] = known == makes_floats_.end() ? name : known->second;
  }

  void want(std::string const& name) {
    if (!name.empty() && seen_.insert(name).second) wanted_.push_back(name);
  }

  Status add_maker(std::string const& name, ForeignGraph& result) {
    if (auto own = own_.find(name); own != own_.end()) return add_own(*own->second, result);
    std::string before = name;
    if (auto floats = makes_floats_.find(name); floats != makes_floats_.end())
      before = floats->second;
    if (auto maker = makers_.find(before); maker != makers_.end()) {
      add_foreign(maker->second, before, name, result);
    } else if (auto given = model_.graph.initializers.find(name);
               given != model_.graph.initializers.end()) {
      result.initializers[name] = given->second;
    } else if (auto constant = constants_.find(name); constant != constants_.end()) {
      result.initializers[name] = *constant->second;
    } else if (std::ranges::none_of(model_.graph.inputs, [&](ForeignValue const& input) {
                 return input.name == name;
               })) {
      return refused(
          "unwritable_node",
          fmt::format("'{}' is not a value of the model's own graph, so what is quantized "
                      "there cannot be written",
                      name));
    }
    return {};
  }

  /// A node as the model has it; what it made under the name `before` is now called `name`.
  void add_foreign(size_t place, std::string const& before, std::string const& name,
                   ForeignGraph& result) {
    if (auto known = places_.find(place); known != places_.end()) {
      std::ranges::replace(result.nodes[known->second].outputs, before, name);
      return;
    }
    places_[place] = result.nodes.size();
    result.nodes.push_back(model_.graph.nodes[place]);
    std::ranges::replace(result.nodes.back().outputs, before, name);
    ForeignGraph alone;
    alone.nodes = {result.nodes.back()};
    for (std::string const& read : names_read(alone)) want(read);
  }

  Status add_own(Node const& node, ForeignGraph& result) {
    if (!written_.insert(&node).second) return {};
    ForeignNode made;
    made.name = node.name;
    if (node.type == "conv") {
      made.op_type = "Conv";
      made.attributes = window_attributes(node.attributes);
    } else if (node.type == "gemm") {
      made.op_type = "Gemm";
      made.attributes["transB"] = integer(node.attributes, "transpose_b");
    } else {
      made.op_type = node.type == "matmul"            ? "MatMul"
                     : node.type == "add"             ? "Add"
                     : node.type == "mul"             ? "Mul"
                     : node.type == "quantize_linear" ? "QuantizeLinear"
                                                      : "DequantizeLinear";
    }
    if (has_channel_steps(graph_, node))
      made.attributes["axis"] = integer(node.attributes, "axis", 1);
    for (ValueId input : node.inputs) made.inputs.push_back(name_of(input));
    for (ValueId output : node.outputs) made.outputs.push_back(name_of(output));
    for (std::string const& read : made.inputs) want(read);
    result.nodes.push_back(std::move(made));
    return {};
  }

  /// Runtimes refuse two nodes of one name.
  static void tell_apart(std::vector<ForeignNode>& nodes) {
    std::set<std::string> names;
    for (ForeignNode const& node : nodes) names.insert(node.name);
    std::set<std::string> seen;
    for (ForeignNode& node : nodes) {
      if (node.name.empty() || seen.insert(node.name).second) continue;
      std::string const wanted = node.name;
      for (int i = 1; !names.insert(node.name).second; ++i)
        node.name = fmt::format("{}_{}", wanted, i);
      seen.insert(node.name);
    }
  }

  static Status sort(ForeignGraph& result) {
    TRY_ASSIGN(std::vector<size_t> order, sorted_nodes(result));
    std::vector<ForeignNode> sorted;
    for (size_t place : order) sorted.push_back(std::move(result.nodes[place]));
    result.nodes = std::move(sorted);
    return {};
  }

  ImportedModel const& model_;
  Graph const& graph_;
  std::vector<NodeId> producers_;
  std::map<std::string, size_t> makers_;             ///< of the model's values
  std::map<std::string, Node const*> own_;           ///< written as the graph has them
  std::map<std::string, NDArray const*> constants_;  ///< of the graph
  std::map<std::string, std::string> makes_floats_;  ///< what is made otherwise now, and its name
  std::deque<std::string> wanted_;
  std::set<std::string> seen_;
  std::map<size_t, size_t> places_;  ///< of the model's nodes, in the result
  std::set<Node const*> written_;
};

}  // namespace

Result<ImportedModel> quantized_model(ImportedModel const& model, Graph const& graph) {
  if (model.format != "onnx")
    return bad_input("unwritable_format",
                     fmt::format("a quantized model is written as ONNX, but this one is {}",
                                 model.format.empty() ? "of no format" : model.format));
  bool channel_steps = std::ranges::any_of(
      graph.nodes, [&](Node const& node) { return has_channel_steps(graph, node); });
  TRY_ASSIGN(ImportedModel newer,
             with_opset(model, channel_steps ? kChannelStepsOpset : kFirstQuantizedOpset));
  return ModelWriter(newer, graph).run();
}

}  // namespace tw
