// Asks for the graph's layouts and algorithms and applies the answer (`apply_choices`); without a
// chooser all stays plain.
#include <fmt/format.h>

#include <map>
#include <set>

#include "engine/graph/pipeline.h"

namespace tw {
namespace {

std::unexpected<Error> bad_choice(std::string message, std::string node = {}) {
  return refused("bad_choice", std::move(message), {{}, 0, 0, std::move(node)});
}

class Applier {
public:
  Applier(Graph const& graph, GraphChoices const& choices)
      : graph_(graph), choices_(choices), nodes_(std::move(graph_.nodes)) {
    for (Value const& value : graph.values) names_.insert(value.name);
    graph_.nodes.clear();
  }

  Result<Graph> run() {
    TRY(check());
    for (size_t i = 0; i < nodes_.size(); ++i) TRY(add({int32_t(i)}));
    forget_unread();
    graph_.choices.insert(graph_.choices.end(), choices_.reasons.begin(), choices_.reasons.end());
    return std::move(graph_);
  }

private:
  using As = std::pair<ValueId, Layout>;

  /// Layouts are for what operators make, and for shapes that are known.
  Status check() const {
    std::set<ValueId> made;
    for (Node const& node : nodes_)
      if (node.op) made.insert(node.outputs.begin(), node.outputs.end());
    for (auto const& [id, layout] : choices_.values) {
      if (!made.contains(id)) return bad_choice("a layout for a value that no operator computes");
      TRY(check_fit(id, layout));
    }
    for (auto const& [at, layout] : choices_.operands) {
      auto const& [id, operand] = at;
      if (!id.valid() || size_t(id.value) >= nodes_.size() ||
          operand >= nodes_[size_t(id.value)].inputs.size() ||
          !nodes_[size_t(id.value)].inputs[operand].valid())
        return bad_choice("a layout for an operand that does not exist");
      TRY(check_fit(nodes_[size_t(id.value)].inputs[operand], layout));
    }
    return {};
  }

  Status check_fit(ValueId id, Layout const& layout) const {
    Value const& value = graph_.value(id);
    auto info = tensor_info(value);
    if (info && layout.fits(info->shape.size())) return {};
    return bad_choice(fmt::format("'{}' is {}, which cannot have layout {}", value.name,
                                  to_text(value.type), to_text(layout)));
  }

  Status add(NodeId id) {
    Node node = nodes_[size_t(id.value)];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!node.inputs[i].valid()) continue;
      TRY_ASSIGN(node.inputs[i], read_as(node.inputs[i], wanted(id, i), node));
    }
    if (auto found = choices_.algorithms.find(id); found != choices_.algorithms.end())
      node.algorithm = found->second;
    std::vector<ValueId> named = node.outputs;
    for (ValueId& output : node.outputs) output = written(output);
    std::vector<ValueId> made = node.outputs;
    std::vector<std::string> origins = node.origins;
    graph_.nodes.push_back(std::move(node));
    for (size_t i = 0; i < made.size(); ++i)
      if (made[i] != named[i]) add_change(made[i], named[i], origins);
    return {};
  }

  /// The layout in which operand `i` is read.
  Layout wanted(NodeId id, size_t i) const {
    Node const& node = nodes_[size_t(id.value)];
    if (auto own = choices_.operands.find({id, i}); own != choices_.operands.end())
      return own->second;
    return node.op ? written_as(node.inputs[i]) : Layout();
  }

  /// What a node writes for this value: itself in its layout, or where the model's output has to be
  /// plain, another value that is changed to it.
  ValueId written(ValueId output) {
    if (!output.valid()) return output;
    Layout as = written_as(output);
    if (as.is_plain()) return output;
    if (is_output(graph_, output)) return add_value(output, as);
    graph_.value(output).layout = as;
    return output;
  }

  Layout written_as(ValueId id) const {
    auto found = choices_.values.find(id);
    return found == choices_.values.end() ? graph_.value(id).layout : found->second;
  }

  /// The value in another layout, made once for all that read it so.
  Result<ValueId> read_as(ValueId id, Layout const& as, Node const& reader) {
    if (graph_.value(id).layout == as) return id;
    if (auto known = others_.find({id, as}); known != others_.end()) return known->second;
    NDArray constant;
    if (graph_.value(id).is_constant()) {
      TRY_ASSIGN(constant, changed(graph_.value(id), as));
      changed_.insert(id);
    }
    ValueId other = add_value(id, as);
    graph_.value(other).constant = std::move(constant);
    if (!graph_.value(other).is_constant()) add_change(id, other, reader.origins);
    return other;
  }

  static Result<NDArray> changed(Value const& value, Layout const& as) {
    auto info = tensor_info(value);
    TRY_ASSIGN(NDArray plain, from_layout(value.constant, value.layout, info->shape));
    return to_layout(plain, as);
  }

  ValueId add_value(ValueId like, Layout const& as) {
    auto info = tensor_info(graph_.value(like));
    Value value;
    std::string name = graph_.value(like).name + "/" + to_text(as);
    value.name = name;
    for (int i = 1; !names_.insert(value.name).second; ++i)
      value.name = fmt::format("{}_{}", name, i);
    value.type = tensor_type(info->type, info->shape);
    value.layout = as;
    return others_[{like, as}] = graph_.add_value(std::move(value));
  }

  void add_change(ValueId from, ValueId to, std::vector<std::string> const& origins) {
    Node node;
    node.op = find_operator("change_layout");
    node.type = node.op->name;
    node.name = graph_.value(to).name;
    node.inputs = {from};
    node.outputs = {to};
    node.origins = origins;
    graph_.nodes.push_back(std::move(node));
  }

  /// Constants that are read in other layouts only give their memory back.
  void forget_unread() {
    auto readers = consumers(graph_);
    for (ValueId id : changed_)
      if (readers[size_t(id.value)].empty() && !is_output(graph_, id))
        graph_.value(id).constant = {};
  }

  Graph graph_;
  GraphChoices const& choices_;
  std::vector<Node> nodes_;  ///< of the graph as it came
  std::map<As, ValueId> others_;
  std::set<ValueId> changed_;  ///< constants
  std::set<std::string> names_;
};

}  // namespace

Result<Graph> apply_choices(Graph const& graph, GraphChoices const& choices) {
  return Applier(graph, choices).run();
}

GraphPass choose_layouts() {
  return {"choose_layouts", "applies the layouts and algorithms that the target chooses",
          "after folding: the final weights are known, with normalizations in them; before fusion: "
          "operators that share a layout can be one kernel",
          [](Graph const& graph, PassChoices const& given) -> Result<Graph> {
            if (!given.layouts) return graph;
            TRY_ASSIGN(GraphChoices choices, given.layouts(graph));
            return apply_choices(graph, choices);
          }};
}

}  // namespace tw
