// Asks for the graph's layouts and algorithms and applies the answer (`apply_choices`); without a
// chooser all stays plain.
#include <fmt/format.h>

#include <map>
#include <set>

#include "engine/graph/pipeline.h"
#include "engine/graph/rewriter.h"

namespace tw {
namespace {

std::unexpected<Error> bad_choice(std::string message, std::string node = {}) {
  return refused("bad_choice", std::move(message), {{}, 0, 0, std::move(node)});
}

class Applier {
public:
  Applier(Graph const& graph, GraphChoices const& choices)
      : came_(graph), rewriter_(graph), choices_(choices) {}

  Result<Graph> run() {
    TRY(check());
    for (int32_t i = 0; auto node = rewriter_.take(); ++i) TRY(add(std::move(*node), {i}));
    Graph graph = rewriter_.finish();
    forget_unread(graph);
    graph.choices.insert(graph.choices.end(), choices_.reasons.begin(), choices_.reasons.end());
    return graph;
  }

private:
  using As = std::pair<ValueId, Layout>;

  /// Layouts are for what operators make, and for shapes that are known.
  Status check() const {
    std::vector<Node> const& nodes = came_.nodes;
    std::set<ValueId> made;
    for (Node const& node : nodes)
      if (node.op) made.insert(node.outputs.begin(), node.outputs.end());
    for (auto const& [id, layout] : choices_.values) {
      if (!made.contains(id)) return bad_choice("a layout for a value that no operator computes");
      TRY(check_fit(id, layout));
    }
    for (auto const& [at, layout] : choices_.operands) {
      auto const& [id, operand] = at;
      if (!id.valid() || size_t(id.value) >= nodes.size() ||
          operand >= came_.node(id).inputs.size() || !came_.node(id).inputs[operand].valid())
        return bad_choice("a layout for an operand that does not exist");
      TRY(check_fit(came_.node(id).inputs[operand], layout));
    }
    return {};
  }

  Status check_fit(ValueId id, Layout const& layout) const {
    Value const& value = came_.value(id);
    auto info = tensor_info(value);
    if (info && layout.fits(info->shape.size())) return {};
    return bad_choice(fmt::format("'{}' is {}, which cannot have layout {}", value.name,
                                  to_text(value.type), to_text(layout)));
  }

  Status add(Node node, NodeId id) {
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
    rewriter_.keep(std::move(node));
    for (size_t i = 0; i < made.size(); ++i)
      if (made[i] != named[i]) add_change(made[i], named[i], origins);
    return {};
  }

  /// The layout in which operand `i` is read.
  Layout wanted(NodeId id, size_t i) const {
    if (auto own = choices_.operands.find({id, i}); own != choices_.operands.end())
      return own->second;
    Node const& node = came_.node(id);
    return node.op ? written_as(node.inputs[i]) : Layout();
  }

  /// What a node writes for this value: itself in its layout, or where the model's output has to be
  /// plain, another value that is changed to it.
  ValueId written(ValueId output) {
    if (!output.valid()) return output;
    Layout as = written_as(output);
    if (as.is_plain()) return output;
    if (is_output(came_, output)) return add_value(output, as);
    rewriter_.value(output).layout = as;
    return output;
  }

  Layout written_as(ValueId id) const {
    auto found = choices_.values.find(id);
    return found == choices_.values.end() ? rewriter_.value(id).layout : found->second;
  }

  /// The value in another layout, made once for all that read it so.
  Result<ValueId> read_as(ValueId id, Layout const& as, Node const& reader) {
    if (rewriter_.value(id).layout == as) return id;
    if (auto known = others_.find({id, as}); known != others_.end()) return known->second;
    NDArray constant;
    if (rewriter_.value(id).is_constant()) {
      TRY_ASSIGN(constant, changed(rewriter_.value(id), as));
      changed_.insert(id);
    }
    ValueId other = add_value(id, as);
    rewriter_.value(other).constant = std::move(constant);
    if (!rewriter_.value(other).is_constant()) add_change(id, other, reader.origins);
    return other;
  }

  static Result<NDArray> changed(Value const& value, Layout const& as) {
    auto info = tensor_info(value);
    TRY_ASSIGN(NDArray plain, from_layout(value.constant, value.layout, info->shape));
    return to_layout(plain, as);
  }

  ValueId add_value(ValueId like, Layout const& as) {
    Value const& model = rewriter_.value(like);
    auto info = tensor_info(model);
    return others_[{like, as}] = rewriter_.add_value(
               {model.name + "/" + to_text(as), tensor_type(info->type, info->shape), {}, as});
  }

  void add_change(ValueId from, ValueId to, std::vector<std::string> const& origins) {
    Node node = rewriter_.node("change_layout", {}, {from}, to);
    node.origins = origins;
    rewriter_.keep(std::move(node));
  }

  /// Constants that are read in other layouts only give their memory back.
  void forget_unread(Graph& graph) const {
    auto readers = consumers(graph);
    for (ValueId id : changed_)
      if (readers[size_t(id.value)].empty() && !is_output(graph, id)) graph.value(id).constant = {};
  }

  Graph const& came_;
  GraphRewriter rewriter_;
  GraphChoices const& choices_;
  std::map<As, ValueId> others_;
  std::set<ValueId> changed_;  ///< constants
};

}  // namespace

Result<Graph> apply_choices(Graph const& graph, GraphChoices const& choices) {
  return Applier(graph, choices).run();
}

GraphPass choose_layouts() {
  return {"choose_layouts", "applies the layouts and algorithms that the target chooses",
          "after folding: the final weights are known, with normalizations in them; before fusion: "
          "operators that share a layout can be one kernel",
          [](Graph const& graph, PassChoices const& given, PassCounts& counts) -> Result<Graph> {
            if (!given.layouts) return graph;
            TRY_ASSIGN(GraphChoices choices, given.layouts(graph));
            TRY_ASSIGN(Graph chosen, apply_choices(graph, choices));
            for (Node const& node : chosen.nodes)
              if (node.type == "change_layout") ++counts["layouts changed in a run"];
            return chosen;
          }};
}

}  // namespace tw
