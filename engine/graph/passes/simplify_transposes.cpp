// relu(transpose(x))  -->  transpose(relu(x));  transpose(transpose(x))  -->  x, where that moves
// fewer elements: nodes get the order of axes in which the transposes around them move least
// (`AxisPlan`). Constants are turned at once; gemm reads a turned matrix as it is.
#include <algorithm>
#include <tuple>

#include "engine/graph/pipeline.h"
#include "engine/graph/rewriter.h"
#include "engine/graph/transposes/axis_plan.h"

namespace tw {
namespace {

/// "ACDB": the axes in their order, as layouts have them.
std::string letters(AxisOrder const& order) {
  std::string text;
  for (int64_t axis : order) text += char('A' + axis % 26);
  return text;
}

/// Makes the graph that a plan has in mind.
class Turner {
public:
  Turner(Graph const& graph, AxisPlan const& plan) : came_(graph), plan_(plan), rewriter_(graph) {
    name_values();
  }

  Graph run() {
    for (int32_t i = 0; auto node = rewriter_.take(); ++i)
      if (!plan_.is_transpose({i})) keep(std::move(*node), {i});
    for (size_t i = 0; i < came_.outputs.size(); ++i) make_output(came_.outputs[i]);
    return rewriter_.finish();
  }

private:
  /// A value in an order of its axes.
  using Turned = std::pair<ValueId, AxisOrder>;

  /// A value that a transpose made stands for what it is made of in its order: it is written by
  /// whoever writes in that order, and keeps its name. Outputs come first; one that is its source
  /// again takes its place.
  void name_values() {
    auto name = [&](ValueId id, bool is_output) {
      TurnedValue const& source = plan_.source(id);
      if (source.of == id || came_.value(source.of).is_constant()) return;
      if (source.order.empty() && !(is_output && can_be_renamed(source.of))) return;
      ids_.emplace(Turned{source.of, source.order}, id);
    };
    for (ValueId id : came_.outputs) name(id, true);
    for (size_t i = 0; i < came_.values.size(); ++i) name({int32_t(i)}, false);
  }

  /// Made by a node, and not what somebody outside knows.
  bool can_be_renamed(ValueId id) const {
    for (auto const* list : {&came_.inputs, &came_.outputs})
      if (std::ranges::find(*list, id) != list->end()) return false;
    return true;
  }

  ValueId id_of(ValueId id, AxisOrder const& order) {
    if (auto found = ids_.find({id, order}); found != ids_.end()) return found->second;
    if (order.empty()) return id;
    Value value = came_.value(id);
    value.name += "/" + letters(order);
    value.constant = {};
    if (value.type.dims) {
      std::vector<ir::Expr> const dims = *value.type.dims;
      for (size_t i = 0; i < dims.size(); ++i) (*value.type.dims)[i] = dims[size_t(order[i])];
    }
    return ids_[{id, order}] = rewriter_.add_value(std::move(value));
  }

  void keep(Node node, NodeId id) {
    AxisOrder const& order = plan_.order(id);
    if (!order.empty()) node = with_order(came_, node, *plan_.axes(id), order);
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i].valid()) node.inputs[i] = operand(node, id, i);
    for (ValueId& output : node.outputs)
      if (output.valid()) output = written(output);
    rewriter_.keep(std::move(node));
  }

  ValueId written(ValueId id) {
    AxisOrder const order = plan_.written(id);
    ValueId own = id_of(id, order);
    made_.insert({id, order});
    return own;
  }

  ValueId operand(Node& reader, NodeId id, size_t i) {
    TurnedValue const& source = plan_.source(came_.node(id).inputs[i]);
    if (came_.value(source.of).is_constant()) return constant(id, i);
    AxisOrder order = plan_.read(id, i);
    if (plan_.takes_either(id, i)) {
      AxisOrder const own = plan_.written(source.of);
      char const* which = i == 0 ? "transpose_a" : "transpose_b";
      if (own != order) reader.attributes[which] = int64_t(integer(reader.attributes, which) == 0);
      order = own;
    }
    return made(source.of, order, reader.origins);
  }

  /// Turned at once; one that is broadcast gets the axes that it lacks, where it must.
  ValueId constant(NodeId id, size_t i) {
    ValueId input = came_.node(id).inputs[i];
    TurnedValue const& source = plan_.source(input);
    AxisOrder const& order = plan_.order(id);
    Shape shape = turned(came_.value(source.of).constant.shape(), source.order);
    AxisOrder own = order;
    if (!order.empty()) {
      TensorAxes const& tensor = plan_.axes(id)->inputs[i];
      if (tensor.is_aligned && !keeps_alignment(tensor, order))
        shape.insert(shape.begin(), order.size() - shape.size(), 1);
      else
        own = order_in(tensor, order);
    }
    if (!own.empty()) own = settled(own, shape);
    bool as_read =
        own.empty() && shape == turned(came_.value(source.of).constant.shape(), source.order);
    if (as_read && source.order.empty()) return source.of;
    NDArray plain = turned(came_.value(source.of).constant, source.order);
    if (as_read) {
      rewriter_.value(input).constant = plain;
      return input;
    }
    auto [known, is_new] = constants_.emplace(std::tuple{input, own, shape}, ValueId());
    if (is_new)
      known->second = rewriter_.add_constant(came_.value(input).name + "/" + letters(own),
                                             turned(plain.reshaped(shape), own));
    return known->second;
  }

  /// The value in that order, by a transpose before the first that reads it so.
  ValueId made(ValueId id, AxisOrder const& order, std::vector<std::string> const& origins) {
    ValueId result = id_of(id, order);
    AxisOrder const own = nearest(id, order);
    if (order == own || !made_.insert({id, order}).second) return result;
    Node node = rewriter_.node("transpose", {{"order", after(inverse(own), order)}},
                               {id_of(id, own)}, result);
    node.origins = origins;
    Node const* maker = rewriter_.first_maker(result);
    if (maker && maker->type == "transpose") node.name = maker->name, node.origins = maker->origins;
    rewriter_.keep(std::move(node));
    return result;
  }

  /// Of the orders in which the value is there: one whose elements lie as they are to lie, or the
  /// one in which it was written.
  AxisOrder nearest(ValueId id, AxisOrder const& order) const {
    AxisOrder const own = plan_.written(id);
    std::optional<Shape> shape = came_.value(id).shape();
    if (!shape || order == own) return own;
    AxisOrder const wide = wide_axes(order, *shape);
    if (wide_axes(own, *shape) == wide) return own;
    for (auto at = made_.lower_bound({id, {}}); at != made_.end() && at->first == id; ++at)
      if (wide_axes(at->second, *shape) == wide) return at->second;
    return own;
  }

  /// Two outputs that are the same tensor, and one that is an input, need a copy.
  void make_output(ValueId id) {
    TurnedValue const& source = plan_.source(id);
    Node const* maker = rewriter_.first_maker(id);
    if (came_.value(source.of).is_constant()) return make_constant_output(id);
    std::vector<std::string> const origins = maker ? maker->origins : std::vector<std::string>();
    ValueId result = made(source.of, source.order, origins);
    if (result == id || !copied_.insert(id).second) return;
    Node copy = rewriter_.node("identity", {}, {result}, id);
    copy.origins = origins;
    rewriter_.keep(std::move(copy));
  }

  void make_constant_output(ValueId id) {
    TurnedValue const& source = plan_.source(id);
    rewriter_.value(id).constant = turned(came_.value(source.of).constant, source.order);
  }

  Graph const& came_;
  AxisPlan const& plan_;
  GraphRewriter rewriter_;
  std::map<Turned, ValueId> ids_;  ///< where it is not the value itself
  std::set<Turned> made_;          ///< by the nodes that were kept
  std::map<std::tuple<ValueId, AxisOrder, Shape>, ValueId> constants_;
  std::set<ValueId> copied_;
};

}  // namespace

GraphPass simplify_transposes() {
  return {"simplify_transposes",
          "cancels transposes, moves them to where they move fewer elements, and turns constants",
          "first: what stands between two transposes meets its neighbours then, in bytes or floats",
          [](Graph const& graph, PassChoices const&, PassCounts& counts) -> Result<Graph> {
            AxisPlan plan(graph);
            TransposeCost const before = plan.first_cost();
            if (before.transposes == 0) return graph;
            plan.improve();
            TransposeCost const now = plan.cost();
            if (now >= before) return graph;
            if (now.transposes != before.transposes)
              counts["transposes removed"] += before.transposes - now.transposes;
            if (now.elements != before.elements)
              counts["elements no longer moved"] += before.elements - now.elements;
            return Turner(graph, plan).run();
          }};
}

}  // namespace tw
