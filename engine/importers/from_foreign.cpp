#include "engine/importers/from_foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/graph/inference.h"
#include "engine/importers/bodies.h"
#include "engine/importers/conversion.h"
#include "engine/importers/declared.h"
#include "engine/importers/dynamic_converter.h"
#include "engine/importers/function.h"
#include "engine/importers/known_attributes.h"
#include "engine/importers/model_format.h"
#include "engine/importers/order.h"
#include "engine/importers/unread.h"

namespace tw {
namespace {

constexpr int kMostNesting = 24;  // graphs inside graphs

Place at(std::string node) { return {{}, 0, 0, std::move(node)}; }

std::unexpected<Error> placed(Error error, Node const& node) {
  if (error.place.node.empty()) error.place = at(node.name);
  return std::unexpected(std::move(error));
}

class Builder {
public:
  Builder(ImportedModel const& model, Converters const& rules, ForeignGraph const& source,
          ImportOptions const& options, Builder* outer = nullptr,
          std::vector<Value> const* given = nullptr)
      : model_(model),
        rules_(rules),
        source_(source),
        options_(options),
        outer_(outer),
        given_(given),
        depth_(outer ? outer->depth_ + 1 : 0),
        read_(names_read(source)) {
    if (outer) symbols_ = outer->symbols_;
    for (auto const* list : {&source.values, &source.outputs})
      for (ForeignValue const& value : *list) declared_[value.name] = &value;
    for (auto const& [name, tensor] : source.initializers) names_.insert(name);
    for (ForeignValue const& input : source.inputs) names_.insert(input.name);
    for (ForeignNode const& node : source.nodes)
      names_.insert(node.outputs.begin(), node.outputs.end());
  }

  Result<Graph> build() {
    graph_.name = source_.name;
    if (std::string newer = newer_opset(model_, rules_); !newer.empty() && !outer_)
      graph_.notes.push_back(newer);
    for (auto const& [name, tensor] : source_.initializers)
      ids_[name] = graph_.add_value({name, tensor_type(tensor.type(), tensor.shape()), tensor});
    TRY(outer_ ? add_body_inputs() : add_inputs());
    TRY_ASSIGN(std::vector<size_t> order, sorted_nodes(source_));
    for (size_t i : order) TRY(add_node(source_.nodes[i]));
    for (ForeignValue const& output : source_.outputs) {
      TRY_ASSIGN(ValueId id, read(output.name, "the graph's outputs"));
      if (!id.valid()) return bad_input("undefined_value", "an output of the graph has no name");
      graph_.outputs.push_back(id);
    }
    if (graph_.outputs.empty() && !outer_)
      return bad_input("no_outputs", "the model has no output");
    return std::move(graph_);
  }

private:
  Status add_body_inputs() {
    if (given_ && given_->size() != source_.inputs.size())
      return bad_input("wrong_inputs",
                       fmt::format("the graph '{}' takes {} values, but {} are given", source_.name,
                                   source_.inputs.size(), given_->size()));
    for (size_t i = 0; i < source_.inputs.size(); ++i)
      TRY(add_input(body_input(source_.inputs[i], given_ ? &(*given_)[i] : nullptr, symbols_)));
    return {};
  }

  Status add_input(Value value) {
    std::string name = value.name;
    bool nameless = !value.type.dtype;
    ValueId id = graph_.add_value(std::move(value));
    if (nameless) nameless_.insert(id);
    if (!ids_.emplace(name, id).second) return duplicate(name, "the graph's inputs");
    graph_.inputs.push_back(id);
    return {};
  }

  Status add_inputs() {
    TRY_ASSIGN(symbols_, fixed_symbols(source_, options_.fixed));
    for (ForeignValue const& input : source_.inputs) {
      auto fixed = options_.fixed.find(input.name);
      Shape const* given = fixed == options_.fixed.end() ? nullptr : &fixed->second;
      if (auto stored = source_.initializers.find(input.name);
          stored != source_.initializers.end()) {  // listed as an input, too
        if (given) TRY(keeps_shape(input.name, stored->second, *given));
        continue;
      }
      if (auto known = options_.known.find(input.name); known != options_.known.end()) {
        NDArray const& tensor = known->second;
        Value value{input.name, tensor_type(tensor.type(), tensor.shape()), tensor};
        ids_[input.name] = graph_.add_value(std::move(value));
        continue;
      }
      TRY_ASSIGN(Value value, declared_input(input, given, symbols_));
      if (!value.shape())
        graph_.notes.push_back(
            fmt::format("the input '{}' is {}: without its extents most shapes are unknown",
                        input.name, to_text(value.type)));
      TRY(add_input(std::move(value)));
    }
    for (auto const& [name, tensor] : options_.known)
      if (!ids_.count(name))
        return bad_input("unknown_input", fmt::format("the model has no input '{}'", name));
    return {};
  }

  std::unexpected<Error> duplicate(std::string const& name, std::string const& node) {
    return bad_input("duplicate_value", fmt::format("the value '{}' is computed twice", name),
                     at(node));
  }

  Result<ValueId> read(std::string const& name, std::string const& node) {
    if (name.empty()) return ValueId{};
    if (std::optional<ValueId> id = find(name)) return *id;
    return bad_input("undefined_value",
                     fmt::format("it reads '{}', which nothing before it computes", name),
                     at(node));
  }

  /// A value of this graph; one of a graph around it becomes an input, or the same constant.
  std::optional<ValueId> find(std::string const& name) {
    if (auto found = ids_.find(name); found != ids_.end()) return found->second;
    std::optional<ValueId> outside = outer_ ? outer_->find(name) : std::nullopt;
    if (!outside) return std::nullopt;
    ValueId id = graph_.add_value(outer_->graph_.value(*outside));
    ids_[name] = id;
    if (outer_->nameless_.contains(*outside)) nameless_.insert(id);
    if (auto unread = outer_->unread_.find(*outside); unread != outer_->unread_.end())
      unread_.insert({id, unread->second});
    if (!graph_.value(id).is_constant()) {
      graph_.inputs.push_back(id);
      captured_.push_back(*outside);
    }
    return id;
  }

  /// An initializer of a type that is not read: what reads it cannot be run.
  Status add_unread(ForeignNode const& foreign, Node node) {
    if (!read_.contains(foreign.outputs.at(0))) return {};
    node.type = foreign.op_type;
    TRY(make_opaque(foreign, node, std::get<std::string>(foreign.attributes.at("reason"))));
    TRY(add_outputs(node, foreign.outputs));
    unread_[node.outputs[0]] = node.reason;
    graph_.nodes.push_back(std::move(node));
    return {};
  }

  Status add_node(ForeignNode const& foreign) {
    Node node;
    node.name = foreign.name;
    for (size_t i = 0; i < foreign.outputs.size() && node.name.empty(); ++i)
      node.name = foreign.outputs[i];
    if (node.name.empty()) node.name = fmt::format("{} {}", foreign.op_type, graph_.nodes.size());
    node.origins = {function_.empty() ? node.name : function_};
    if (foreign.domain == kUnreadTensor) return add_unread(foreign, std::move(node));
    Converter const* rule = find_converter(rules_, foreign.op_type, foreign.domain);
    ControlOperator const* control = rule ? find_control(rule->op) : nullptr;
    if (control) return add_control(foreign, *rule, *control, std::move(node));
    TRY_ASSIGN(bool expanded, expand_function(foreign, rule, node));
    if (expanded) return {};
    TRY_ASSIGN(Conversion made, convert(foreign, rule, node));
    if (!made.words.each_output.empty()) return add_parts(foreign, node, made.words.each_output);
    if (node.is_opaque()) return add_opaque(foreign, std::move(node));
    return add(foreign, std::move(node),
               made_outputs(read_, foreign, node.name, made.outputs(foreign)));
  }

  /// Adds the nodes that the format defines this one by; false: it is no such node.
  Result<bool> expand_function(ForeignNode const& foreign, Converter const* rule,
                               Node const& node) {
    if (!rule || !rule->function) return false;
    Node read = node;
    TRY(read_operands(foreign, read));
    std::string reason = strange_operand(read);
    Result<std::vector<ForeignNode>> nodes;
    if (reason.empty()) nodes = instantiate(*rule, context(foreign, read), node.name, names_);
    if (nodes && nodes->empty() && reason.empty()) return false;
    if (!nodes) reason = nodes.error().message;
    if (!reason.empty()) {
      read.type = foreign.op_type;
      TRY(make_opaque(foreign, read, reason));
      TRY(add_opaque(foreign, std::move(read)));
      return true;
    }
    for (ForeignNode const& inner : *nodes) read_.insert(inner.inputs.begin(), inner.inputs.end());
    std::string around = std::exchange(function_, node.origins[0]);
    for (ForeignNode const& inner : *nodes) TRY(add_node(inner));
    function_ = around;
    return true;
  }

  /// One node for each output of a foreign node that has several.
  Status add_parts(ForeignNode const& foreign, Node const& node,
                   std::vector<Attributes> const& parts) {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (foreign.outputs[i].empty()) continue;
      Node part = node;
      part.name = foreign.outputs[i];
      part.attributes.insert(parts[i].begin(), parts[i].end());
      TRY(add(foreign, std::move(part), {foreign.outputs[i]}));
    }
    return {};
  }

  Status add(ForeignNode const& foreign, Node node, std::vector<std::string> const& made) {
    TRY(add_outputs(node, made));
    TRY(infer_outputs(graph_, node));
    if (node.is_opaque()) node.type = foreign.op_type;
    graph_.nodes.push_back(std::move(node));
    return {};
  }

  /// What is not run may still be known to make tensors of a type and shape: what follows it then
  /// has kernels.
  Status add_opaque(ForeignNode const& foreign, Node node) {
    TRY(add_outputs(node, foreign.outputs));
    std::vector<ValueType> types;
    if (rules_.known_types)
      types = rules_.known_types(context(foreign, node), operands_of(graph_, node));
    for (size_t i = 0; i < types.size() && i < node.outputs.size(); ++i)
      if (node.outputs[i].valid()) refine(graph_.value(node.outputs[i]).type, types[i]);
    graph_.nodes.push_back(std::move(node));
    return {};
  }

  Status add_outputs(Node& node, std::vector<std::string> const& made) {
    for (std::string const& output : made) {
      if (output.empty()) {
        node.outputs.push_back({});
        continue;
      }
      Value value{output, {}, {}};
      if (auto declared = declared_.find(output); declared != declared_.end())
        value.type = type_of(*declared->second, symbols_);
      node.outputs.push_back(graph_.add_value(std::move(value)));
      if (!ids_.emplace(output, node.outputs.back()).second) return duplicate(output, node.name);
    }
    return {};
  }

  ForeignContext context(ForeignNode const& foreign, Node const& node) const {
    int64_t opset =
        function_.empty() ? own_opset(model_, rules_).value_or(1) : rules_.function_opset;
    return context_of(foreign, opset, graph_, node);
  }

  /// Why the node's operands are none that we know; empty: they are.
  std::string strange_operand(Node const& node) const {
    for (ValueId id : node.inputs)
      if (auto unread = unread_.find(id); unread != unread_.end())
        return unread->second;
      else if (id.valid() && graph_.value(id).type.kind != ValueKind::kTensor)
        return fmt::format("'{}' is not a tensor", graph_.value(id).name);
      else if (id.valid() && nameless_.count(id))
        return fmt::format("the element type of '{}' is not known", graph_.value(id).name);
    return "";
  }

  Status read_operands(ForeignNode const& foreign, Node& node) {
    for (std::string const& input : foreign.inputs) {
      TRY_ASSIGN(ValueId id, read(input, node.name));
      node.inputs.push_back(id);
    }
    return {};
  }

  Status add_control(ForeignNode const& foreign, Converter const& rule,
                     ControlOperator const& control, Node node) {
    TRY(read_operands(foreign, node));
    node.type = foreign.op_type;
    std::string reason = strange_operand(node);
    std::vector<ForeignBody> sources;
    for (std::string const& body : rule.bodies) {
      sources.push_back(body_of(foreign, body));
      if (!sources.back()) reason = fmt::format("it has no graph '{}'", body);
    }
    ForeignContext seen = context(foreign, node);
    if (reason.empty()) reason = unknown_attribute(rule.attributes, foreign, seen.opset);
    if (reason.empty()) {
      Result<Converted> converted = rule.convert(seen);
      if (!converted) reason = converted.error().message;
      if (converted) {
        node.attributes = std::move(converted->attributes);
        take_inputs(node, converted->inputs);
      }
    }
    if (!reason.empty()) {
      TRY(make_opaque(foreign, node, reason));
      return add_opaque(foreign, std::move(node));
    }
    node.control = &control;
    node.type = control.name;
    std::vector<Value> operands = operands_of(graph_, node);
    if (auto body = control.decide ? control.decide(operands) : std::nullopt)
      return put_in_place(foreign, *sources[*body], std::move(node));
    return add_with_bodies(foreign, sources, std::move(node));
  }

  /// The one body that runs, whatever the inputs are: its nodes become nodes of this graph.
  Status put_in_place(ForeignNode const& foreign, ForeignGraph const& source, Node node) {
    std::vector<Value> none;
    TRY_ASSIGN(Body body, build_body(source, &none, node));
    if (body.graph.outputs.size() < foreign.outputs.size())
      return bad_input("wrong_outputs",
                       fmt::format("its graph gives {} values, but the node has {} outputs",
                                   body.graph.outputs.size(), foreign.outputs.size()),
                       at(node.name));
    TRY(add_outputs(node, foreign.outputs));
    std::vector<Node> nodes =
        splice(graph_, {body.graph, body.captured, node.outputs, node.origins}, names_);
    graph_.nodes.insert(graph_.nodes.end(), nodes.begin(), nodes.end());
    graph_.notes.insert(graph_.notes.end(), body.graph.notes.begin(), body.graph.notes.end());
    return {};
  }

  /// `given`: the inputs before the captured ones; null: as the source declares them.
  Result<Body> build_body(ForeignGraph const& source, std::vector<Value> const* given,
                          Node const& node) {
    if (depth_ >= kMostNesting)
      return bad_input("nested_too_deep",
                       fmt::format("its graphs are nested deeper than {}", kMostNesting),
                       at(node.name));
    Builder builder(model_, rules_, source, options_, this, given);
    auto graph = builder.build();
    if (!graph) return placed(graph.error(), node);
    return Body{std::move(*graph), builder.captured_, {}};
  }

  BuildBody body_builder(Node const& node) {
    return [this, &node](ForeignGraph const& source, std::vector<Value> const* given) {
      return build_body(source, given, node);
    };
  }

  Status add_with_bodies(ForeignNode const& foreign, std::vector<ForeignBody> const& sources,
                         Node node) {
    auto made = build_bodies(node, operands_of(graph_, node), sources, body_builder(node));
    if (made && made->outputs.size() < foreign.outputs.size())
      made =
          bad_input("wrong_outputs", fmt::format("its graphs give {} values, but it has {} outputs",
                                                 made->outputs.size(), foreign.outputs.size()));
    if (!made) return placed(made.error(), node);
    own_bodies(graph_, node, std::move(made->bodies));
    TRY(add_outputs(node, foreign.outputs));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].valid()) continue;
      Value& value = graph_.value(node.outputs[i]);
      std::optional<DType> declared = value.type.dtype;
      value.type = made->outputs[i];
      if (!value.type.dtype) value.type.dtype = declared;
      if (!value.shape())
        graph_.notes.push_back(fmt::format("the output '{}' of node '{}' is {} until it runs",
                                           value.name, node.name, to_text(value.type)));
    }
    graph_.nodes.push_back(std::move(node));
    return {};
  }

  /// Reads the operands; the node gets our words, or the reason why it cannot.
  Result<Conversion> convert(ForeignNode const& foreign, Converter const* rule, Node& node) {
    TRY(read_operands(foreign, node));
    node.type = foreign.op_type;
    std::string strange = rule ? strange_operand(node) : "";
    Conversion made = strange.empty() ? conversion_of(context(foreign, node), rules_, rule, read_)
                                      : Conversion{nullptr, {}, false, strange};
    if (!made.op) TRY(make_opaque(foreign, node, made.reason));
    if (made.dynamic) make_dynamic(foreign, *rule, node, made);
    if (!made.op || made.dynamic) return made;
    node.op = made.op;
    node.type = made.op->name;
    node.attributes = made.words.attributes;
    take_inputs(node, made.words.inputs);
    while (!node.inputs.empty() && !node.inputs.back().valid()) node.inputs.pop_back();
    return made;
  }

  void take_inputs(Node& node, std::vector<std::string> const& names) {
    node.inputs.clear();
    for (std::string const& name : names)
      node.inputs.push_back(name.empty() ? ValueId{} : ids_.at(name));
  }

  void make_dynamic(ForeignNode const& foreign, Converter const& rule, Node& node,
                    Conversion const& made) {
    node.dynamic = dynamic_node(foreign, context(foreign, node).opset, rule);
    node.type = made.op->name;
    node.reason = made.reason;
    graph_.notes.push_back(fmt::format("node '{}' ({}) is run by its slow reference code: {}",
                                       node.name, foreign.op_type, node.reason));
  }

  Status make_opaque(ForeignNode const& foreign, Node& node, std::string reason) {
    graph_.notes.push_back(
        fmt::format("node '{}' ({}) cannot be run: {}", node.name, foreign.op_type, reason));
    node.reason = std::move(reason);
    std::vector<Body> bodies;
    for (auto const& [name, attribute] : foreign.attributes)
      if (auto const* source = std::get_if<ForeignBody>(&attribute)) {
        TRY_ASSIGN(Body body, try_body(**source, nullptr, body_builder(node)));
        bodies.push_back(std::move(body));
      }
    own_bodies(graph_, node, std::move(bodies));
    return {};
  }

  ImportedModel const& model_;
  Converters const& rules_;
  ForeignGraph const& source_;
  ImportOptions const& options_;
  Builder* outer_;                   ///< of the graph around this one; null: the model's
  std::vector<Value> const* given_;  ///< of a body: its inputs
  int depth_;
  std::set<std::string> read_;  ///< names that somebody reads
  Symbols symbols_;
  Graph graph_;
  std::map<std::string, ValueId> ids_;
  std::vector<ValueId> captured_;  ///< values of the graph around, behind the graph's own inputs
  std::set<std::string> names_;    ///< that are taken
  std::string function_;           ///< the node whose body is being added; empty: none
  std::map<std::string, ForeignValue const*> declared_;
  std::set<ValueId> nameless_;             ///< inputs of strings and the like
  std::map<ValueId, std::string> unread_;  ///< initializers of such, and the reason
};

}  // namespace

Result<Graph> build_graph(ImportedModel const& model, ImportOptions const& options) {
  TRY_ASSIGN(Graph graph,
             Builder(model, converters_of(model.format), model.graph, options).build());
  TRY(verify(graph));
  return graph;
}

}  // namespace tw
