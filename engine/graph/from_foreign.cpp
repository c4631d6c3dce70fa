#include "engine/graph/from_foreign.h"

#include <fmt/format.h>

#include <set>

#include "engine/graph/reference.h"

namespace tw {
namespace {

constexpr int64_t kSmallConstant = 4096;  // elements: shapes and the like, which others wait for

Place at(std::string node) { return {{}, 0, 0, std::move(node)}; }

ValueType type_of(ForeignValue const& value) {
  ValueType type;
  if (value.kind == ForeignKind::kSequence) type.kind = ValueKind::kSequence;
  if (value.kind == ForeignKind::kOptional) type.kind = ValueKind::kOptional;
  type.dtype = value.type;
  if (!value.dims) return type;
  type.dims.emplace();
  for (ForeignDim const& dim : *value.dims)
    type.dims->push_back(dim.extent           ? ir::int_imm(*dim.extent)
                         : dim.symbol.empty() ? ir::Expr()
                                              : ir::var(dim.symbol));
  return type;
}

class Builder {
public:
  Builder(ForeignModel const& model, ForeignGraph const& source, ImportOptions const& options,
          bool is_body)
      : model_(model), source_(source), options_(options), is_body_(is_body) {
    for (auto const* list : {&source.values, &source.outputs})
      for (ForeignValue const& value : *list) declared_[value.name] = &value;
  }

  Result<Graph> build() {
    graph_.name = source_.name;
    for (auto const& [name, tensor] : source_.initializers)
      ids_[name] = graph_.add_value({name, tensor_type(tensor.type(), tensor.shape()), tensor});
    TRY(add_inputs());
    for (ForeignNode const& node : source_.nodes) TRY(add_node(node));
    for (ForeignValue const& output : source_.outputs) {
      TRY_ASSIGN(ValueId id, read(output.name, "the graph's outputs"));
      graph_.outputs.push_back(id);
    }
    if (graph_.outputs.empty() && !is_body_)
      return bad_input("no_outputs", "the model has no output");
    return std::move(graph_);
  }

private:
  Status add_inputs() {
    for (ForeignValue const& input : source_.inputs) {
      if (ids_.count(input.name)) continue;  // an initializer that is listed as input, too
      if (auto known = options_.known.find(input.name);
          known != options_.known.end() && !is_body_) {
        NDArray const& tensor = known->second;
        Value value{input.name, tensor_type(tensor.type(), tensor.shape()), tensor};
        ids_[input.name] = graph_.add_value(std::move(value));
        continue;
      }
      Value value{input.name, type_of(input), {}};
      if (auto fixed = options_.fixed.find(input.name); fixed != options_.fixed.end() && !is_body_)
        TRY(fix(value, fixed->second));
      if (!value.shape() && !is_body_)
        graph_.notes.push_back(
            fmt::format("input '{}' is {}: without its extents most shapes stay unknown",
                        input.name, to_text(value.type)));
      bool nameless = !value.type.dtype;
      ValueId id = graph_.add_value(std::move(value));
      if (nameless) nameless_.insert(id);
      if (!ids_.emplace(input.name, id).second) return duplicate(input.name, "the graph's inputs");
      graph_.inputs.push_back(id);
    }
    if (is_body_) return {};
    for (auto const& [name, shape] : options_.fixed)
      if (!ids_.count(name))
        return bad_input("unknown_input", fmt::format("the model has no input '{}' to fix", name));
    for (auto const& [name, tensor] : options_.known)
      if (!ids_.count(name))
        return bad_input("unknown_input", fmt::format("the model has no input '{}'", name));
    return {};
  }

  Status fix(Value& value, Shape const& shape) {
    std::string declared = to_text(value.type);
    bool fits = !value.type.dims || value.type.dims->size() == shape.size();
    for (size_t i = 0; fits && value.type.dims && i < shape.size(); ++i) {
      ir::Expr const& dim = (*value.type.dims)[i];
      fits = !dim || !ir::as_int(dim) || *ir::as_int(dim) == shape[i];
    }
    if (!fits)
      return bad_input("wrong_shapes", fmt::format("input '{}' is {}, {} was given", value.name,
                                                   declared, to_text(shape)));
    value.type.dims = *tensor_type(DType::kF32, shape).dims;
    return {};
  }

  std::unexpected<Error> duplicate(std::string const& name, std::string const& node) {
    return bad_input("duplicate_value", fmt::format("the value '{}' is made twice", name),
                     at(node));
  }

  Result<ValueId> read(std::string const& name, std::string const& node) {
    if (name.empty()) return ValueId{};
    if (auto found = ids_.find(name); found != ids_.end()) return found->second;
    if (!is_body_)
      return bad_input("undefined_value",
                       fmt::format("it reads '{}', which nothing before it makes", name), at(node));
    ValueId id = graph_.add_value({name, {}, {}});  // captured from the graph around the body
    ids_[name] = id;
    graph_.inputs.push_back(id);
    return id;
  }

  Status add_node(ForeignNode const& foreign) {
    Node node;
    node.name = foreign.name;
    for (size_t i = 0; i < foreign.outputs.size() && node.name.empty(); ++i)
      node.name = foreign.outputs[i];
    if (node.name.empty()) node.name = fmt::format("{} {}", foreign.op_type, graph_.nodes.size());
    node.origins = {node.name};
    std::vector<Attributes> parts;
    size_t outputs = 1;
    TRY(convert(foreign, node, parts, outputs));
    if (!parts.empty()) return add_parts(foreign, node, parts);
    return add(std::move(node), node.op ? made_by(foreign, node, outputs) : foreign.outputs);
  }

  /// Names of the outputs of a known operator: the first is always made, the others where somebody
  /// reads them.
  std::vector<std::string> made_by(ForeignNode const& foreign, Node const& node,
                                   size_t outputs) const {
    std::vector<std::string> made = foreign.outputs;
    made.resize(std::min(made.size(), outputs));
    if (made[0].empty()) made[0] = node.name + " (not read)";
    for (size_t i = 1; i < made.size(); ++i)
      if (!is_read(made[i])) made[i].clear();
    return made;
  }

  /// One node for each output of a foreign node that has several.
  Status add_parts(ForeignNode const& foreign, Node const& node,
                   std::vector<Attributes> const& parts) {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (foreign.outputs[i].empty()) continue;
      Node part = node;
      part.name = foreign.outputs[i];
      part.attributes.insert(parts[i].begin(), parts[i].end());
      TRY(add(std::move(part), {foreign.outputs[i]}));
    }
    return {};
  }

  Status add(Node node, std::vector<std::string> const& made) {
    for (std::string const& output : made) {
      if (output.empty()) {
        node.outputs.push_back({});
        continue;
      }
      Value value{output, {}, {}};
      if (auto declared = declared_.find(output); declared != declared_.end())
        value.type = type_of(*declared->second);
      node.outputs.push_back(graph_.add_value(std::move(value)));
      if (!ids_.emplace(output, node.outputs.back()).second) return duplicate(output, node.name);
    }
    TRY(infer(node));
    graph_.nodes.push_back(std::move(node));
    return {};
  }

  /// `parts`: attributes of one node per output, where the operator makes one at a time. `outputs`:
  /// how many it makes at once.
  Status convert(ForeignNode const& foreign, Node& node, std::vector<Attributes>& parts,
                 size_t& outputs) {
    for (std::string const& input : foreign.inputs) {
      TRY_ASSIGN(ValueId id, read(input, node.name));
      node.inputs.push_back(id);
    }
    node.type = foreign.op_type;
    bool known_domain = foreign.domain.empty() || foreign.domain == "ai.onnx";
    Operator const* op =
        known_domain && model_.format == "onnx" ? find_onnx_operator(foreign.op_type) : nullptr;
    if (!op) {
      std::string full = known_domain ? foreign.op_type : foreign.domain + "." + foreign.op_type;
      return make_opaque(foreign, node, fmt::format("the operator {} is not known", full));
    }
    for (ValueId id : node.inputs)
      if (id.valid() && graph_.value(id).type.kind != ValueKind::kTensor)
        return make_opaque(foreign, node, fmt::format("'{}' is no tensor", graph_.value(id).name));
      else if (id.valid() && nameless_.count(id))
        return make_opaque(
            foreign, node,
            fmt::format("the element type of '{}' is not known", graph_.value(id).name));
    Result<Converted> converted = op->from_onnx(context_of(foreign, node));
    if (!converted) return make_opaque(foreign, node, converted.error().message);
    outputs = converted->outputs;
    if (foreign.outputs.empty() || (foreign.outputs[0].empty() && outputs == 1))
      return make_opaque(foreign, node, "its first output is not used");
    parts = std::move(converted->each_output);
    for (size_t i = std::max(outputs, parts.size()); i < foreign.outputs.size(); ++i)
      if (!foreign.outputs[i].empty() && is_read(foreign.outputs[i]))
        return make_opaque(
            foreign, node,
            fmt::format("output {} of {} is not understood", i + 1, foreign.op_type));
    if (!converted->op.empty()) op = find_operator(converted->op);
    TW_ASSERT(op, "a conversion names an operator of the table");
    node.op = op;
    node.type = op->name;
    node.attributes = std::move(converted->attributes);
    node.inputs.clear();
    for (std::string const& input : converted->inputs)
      node.inputs.push_back(input.empty() ? ValueId{} : ids_.at(input));
    while (!node.inputs.empty() && !node.inputs.back().valid()) node.inputs.pop_back();
    return {};
  }

  bool is_read(std::string const& name) const {
    for (ForeignValue const& output : source_.outputs)
      if (output.name == name) return true;
    for (ForeignNode const& node : source_.nodes)
      for (std::string const& input : node.inputs)
        if (input == name) return true;
    return false;
  }

  ForeignContext context_of(ForeignNode const& foreign, Node const& node) const {
    ForeignContext context{foreign, 1, {}, {}};
    for (char const* domain : {"", "ai.onnx"})
      if (auto found = model_.opsets.find(domain); found != model_.opsets.end())
        context.opset = found->second;
    for (ValueId id : node.inputs) {
      context.constants.push_back(id.valid() ? graph_.value(id).constant : NDArray());
      auto const* dims =
          id.valid() && graph_.value(id).type.dims ? &*graph_.value(id).type.dims : nullptr;
      context.ranks.push_back(dims ? int(dims->size()) : -1);
    }
    return context;
  }

  Status make_opaque(ForeignNode const& foreign, Node& node, std::string reason) {
    graph_.notes.push_back(
        fmt::format("node '{}' ({}) cannot be run: {}", node.name, foreign.op_type, reason));
    node.reason = std::move(reason);
    for (auto const& [name, attribute] : foreign.attributes)
      if (auto const* body = std::get_if<std::shared_ptr<ForeignGraph const>>(&attribute)) {
        TRY_ASSIGN(Graph graph, Builder(model_, **body, options_, true).build());
        node.sub_graphs.push_back(std::make_shared<Graph const>(std::move(graph)));
      }
    return {};
  }

  /// Types of the outputs, and their elements when they are few and known.
  Status infer(Node& node) {
    if (!node.op) return {};
    std::vector<std::optional<TensorInfo>> infos;
    bool all_constant = true;
    for (ValueId id : node.inputs) {
      infos.push_back(id.valid() ? tensor_info(graph_.value(id)) : std::nullopt);
      if (id.valid() && !infos.back()) return {};
      all_constant = all_constant && (!id.valid() || graph_.value(id).is_constant());
    }
    std::vector<TensorInfo const*> operands;
    for (auto const& info : infos) operands.push_back(info ? &*info : nullptr);
    auto outputs = node.op->infer(node.attributes, operands);
    // Shapes and types that fit ONNX but not our operator: the node runs as nothing we know.
    if (!outputs && outputs.error().code == "unsupported") {
      node.type = node.op->onnx;
      node.op = nullptr;
      node.reason = outputs.error().message;
      return {};
    }
    if (!outputs) {
      Error error = outputs.error();
      error.place = at(node.name);
      return std::unexpected(error);
    }
    for (size_t i = 0; i < node.outputs.size() && i < outputs->size(); ++i) {
      if (!node.outputs[i].valid()) continue;
      Value& value = graph_.value(node.outputs[i]);
      value.type = tensor_type((*outputs)[i].type, (*outputs)[i].shape);
      value.constant = (*outputs)[i].constant;  // a shape is known before its tensor is
    }
    if (graph_.value(node.outputs[0]).is_constant() || !all_constant ||
        element_count((*outputs)[0].shape).value_or(kSmallConstant + 1) > kSmallConstant)
      return {};
    auto results = run_node(graph_, node, {});
    for (size_t i = 0; results && i < node.outputs.size(); ++i)
      if (node.outputs[i].valid()) graph_.value(node.outputs[i]).constant = (*results)[i];
    return {};
  }

  ForeignModel const& model_;
  ForeignGraph const& source_;
  ImportOptions const& options_;
  bool is_body_;
  Graph graph_;
  std::map<std::string, ValueId> ids_;
  std::map<std::string, ForeignValue const*> declared_;
  std::set<ValueId> nameless_;  ///< inputs of strings and the like
};

}  // namespace

Result<Graph> build_graph(ForeignModel const& model, ImportOptions const& options) {
  TRY_ASSIGN(Graph graph, Builder(model, model.graph, options, false).build());
  TRY(verify(graph));
  return graph;
}

}  // namespace tw
